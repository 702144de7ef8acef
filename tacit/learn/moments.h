#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/learn/answers.h"
#include "tacit/learn/features.h"
#include "tacit/learn/questions.h"
#include "tacit/learn/symmetric_matrix.h"

namespace tacit::learn {

// Noisy second moments of the features, brought onto [-1, 1], and of a constant 1: what linear
// regression, covariance and principal components are made of. proof.md, "Second moments".

inline constexpr std::size_t kMostMomentFeatures = 40;

struct MomentsPlan {
  Rows rows;
  std::vector<Feature> features;
  Allowance allowance;
  sql::QueryPlan whole;
};

// Touches no row and charges nothing. `schema` must outlive the plan.
Result<MomentsPlan> plan_moments(Rows rows, const Allowance& allowance, const Schema& schema,
                                 Engine& parser);

// The law of the noise on one of the sums.
struct NoiseLaw {
  bool gaussian = false;
  double deviation = 0;
};

struct Moments {
  std::vector<Feature> features;
  // sums.at(i, j) is the noisy sum of z_i z_j over all rows, z = (1, u_0, u_1, ...): at (0, 0) the
  // number of rows.
  SymmetricMatrix sums{0};
  // Of every sum alike, but with its own draw.
  NoiseLaw noise;
  double half_width = 0;

  [[nodiscard]] double rows() const { return sums.at(0, 0); }
};

struct MomentsMade {
  Moments moments;
  sql::Asked asked;
  sql::QueryPlan plan;
};

Result<MomentsMade> make_moments(const MomentsPlan& plan, const sql::Asker& asker,
                                 const Place& place);

// The one question: count(*), sum(u0), ..., sum(u0 * u0), ..., all with equal shares.
Question moments_question(const std::string& rows, std::size_t features);

}  // namespace tacit::learn
