#pragma once

#include <cstdint>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"

namespace tacit {

// The rho of the least Gaussian noise on a fine grid that is (epsilon, delta)-DP by theorem 2 of
// proof.md: that of the analytic Gaussian mechanism for all of delta but kDiscreteShare of it,
// rounded down to a double. Refuses an epsilon that is not above 0 and a delta outside (0, 1).
Result<Rational> gaussian_rho(const Rational& epsilon, const Rational& delta);

// The part of delta that pays for the noise being discrete.
inline constexpr double kDiscreteShare = 0x1p-10;

// Refuses noise on so coarse a grid, or on so many coordinates, that the share of delta does not
// pay for it. `parts` such mechanisms are composed.
Result<void> check_discrete_share(const Rational& epsilon, const Rational& delta,
                                  const Rational& variance, std::uint64_t coordinates,
                                  std::uint64_t parts);

}  // namespace tacit
