#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacit/learn/moments.h"

namespace tacit::learn {

// Least squares from noisy second moments: proof.md, "Linear regression". The release is that of
// moments.h; the last of the features is the target.

enum class RegressionMethod : std::uint8_t {
  // The normal equations with as much of a ridge as the noise may hide (Wang 2018, AdaSSP).
  kStatistics,
  // The functional mechanism (Zhang, Zhang, Xiao, Yang, Winslett 2012): noise on the coefficients
  // of the squared loss, a ridge of four deviations, and directions of no curvature left out.
  // Its noise is Laplace: plan it without a delta.
  kFunctional
};

// The plan of moments of `rows` and the target. Refuses a target with nothing beside it, so that
// nobody pays for moments that explain nothing.
Result<MomentsPlan> plan_linear_regression(Rows rows, const std::string& target,
                                           const Allowance& allowance, const Schema& schema,
                                           Engine& parser);

struct Coefficient {
  double value = 0;
  double half_width = 0;
};

struct LinearModel {
  std::vector<Feature> features;  // without the target
  Feature target;
  // Of the target on the features, in their own units.
  Coefficient intercept;
  std::vector<Coefficient> slopes;
  double rows = 0;
  // The deviation of the target about the line, and the share of its variance that the line
  // explains; both from noisy numbers.
  double residual_deviation = 0;
  double explained = 0;
  // What was added to the diagonal of the second moments (of features on [-1, 1]), per row.
  double ridge = 0;
};

// Half-widths hold about with `confidence`: for the noise and for the sampling of the rows, by a
// parametric bootstrap over the released numbers (Ferrando, Wang, Sheldon 2022). Costs nothing.
LinearModel linear_regression(const Moments& moments, RegressionMethod method, double confidence);

}  // namespace tacit::learn
