#pragma once

#include <vector>

#include "tacit/learn/moments.h"

namespace tacit::learn {

// Means, covariance and principal components from noisy second moments: proof.md, "Covariance and
// principal components". The plan and the release are those of moments.h.

struct PrincipalComponent {
  std::vector<double> direction;  // of length 1, over the features
  double variance = 0;
  double share = 0;  // of the variance of all
};

struct PrincipalComponents {
  std::vector<Feature> features;
  double rows = 0;
  std::vector<double> means;
  std::vector<double> mean_half_widths;
  // Population covariance, with negative eigenvalues brought to 0.
  SymmetricMatrix covariance{0};
  // The largest first.
  std::vector<PrincipalComponent> components;
  // Variances below this may be noise alone.
  double noise_floor = 0;
  bool scaled = false;
};

// `scaled`: every feature is divided by half its range first, so that units do not decide.
// Of fewer rows than the noise all components are below the noise floor.
PrincipalComponents principal_components(const Moments& moments, bool scaled);

}  // namespace tacit::learn
