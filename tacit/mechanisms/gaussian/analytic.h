#pragma once

#include <cstdint>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"

namespace tacit {

// The rho of the least Gaussian noise on a fine grid that is (epsilon, delta)-DP by theorem 2 of
// proof.md: that of the analytic Gaussian mechanism for all of delta but kDiscreteShare of it,
// rounded down to a double. Refuses an epsilon that is not above 0 and a delta outside (0, 1).
Result<Rational> gaussian_rho(const Rational& epsilon, const Rational& delta);

// The noise multiplier 1 / sqrt(2 rho) of rho-zCDP, rounded up.
Result<Rational> gaussian_multiplier(const Rational& rho);

// The variance parameter of discrete noise that stands for continuous Gaussian noise of that
// multiplier, where integer vectors of neighbours lie this far apart (theorem 3 of proof.md).
// Refuses a multiplier below 1/16, and more than 2^40 coordinates.
Result<Rational> variance_like_continuous(const Rational& multiplier,
                                          const Rational& squared_distance,
                                          std::uint64_t coordinates);

// The part of delta that pays for the noise being discrete.
inline constexpr double kDiscreteShare = 0x1p-10;

// Refuses noise on so coarse a grid, or on so many coordinates, that the share of delta does not
// pay for it. `parts` such mechanisms are composed.
Result<void> check_discrete_share(const Rational& epsilon, const Rational& delta,
                                  const Rational& variance, std::uint64_t coordinates,
                                  std::uint64_t parts);

}  // namespace tacit
