#pragma once

#include <cstdint>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"

namespace tacit {

// The least integer t with P(noise >= t) <= probability, for noise with P(z) proportional to
// exp(-|z| / scale). Exact. Refuses a probability outside (0, 1/2) and a scale that is not above 0.
Result<std::int64_t> discrete_laplace_tail_point(const Rational& scale,
                                                 const Rational& probability);

// An integer t with P(noise >= t) <= probability, for noise with P(z) proportional to
// exp(-z^2 / (2 variance)); the least for which the bound of proof.md shows it. Refuses as above.
Result<std::int64_t> discrete_gaussian_tail_point(const Rational& variance,
                                                  const Rational& probability);

// The threshold for continuous Laplace noise, 1 + (kappa / epsilon) ln(kappa / (2 delta)), in
// double precision: to compare with tables and other libraries. Releases use the exact one above.
double laplace_threshold(double epsilon, double delta, std::uint64_t groups_per_unit = 1);

}  // namespace tacit
