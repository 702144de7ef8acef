#include "tacit/mechanisms/gaussian/analytic.h"

#include <cmath>

#include "tacit/privacy/gaussian_dp.h"

namespace tacit {

Result<Rational> gaussian_rho(const Rational& epsilon, const Rational& delta) {
  if (epsilon.sign() <= 0) {
    return bad_input("epsilon must be above 0", "Gaussian noise", "give a number such as 0.5");
  }
  const double for_gaussian = delta.lower() * (1 - kDiscreteShare);
  if (for_gaussian <= 0 || delta >= Rational(1)) {
    return bad_input("delta must be above 0 and below 1", "Gaussian noise",
                     "give a number such as 1e-6; for delta 0 use Laplace noise");
  }
  TACIT_ASSIGN_OR_RETURN(const double multiplier,
                         analytic_gaussian_multiplier(epsilon.lower(), for_gaussian));
  TACIT_ASSIGN_OR_RETURN(const Rational exact, Rational::exactly(multiplier));
  return Rational::exactly((Rational(1) / (Rational(2) * exact * exact)).lower());
}

Result<Rational> gaussian_multiplier(const Rational& rho) {
  // Two roundings of 2^-53 each.
  constexpr double kMargin = 1 + 1e-15;
  return Rational::exactly(1 / std::sqrt(2 * rho.lower()) * kMargin);
}

Result<Rational> variance_like_continuous(const Rational& multiplier,
                                          const Rational& squared_distance,
                                          std::uint64_t coordinates) {
  if (multiplier < Rational::power_of_two(-4)) {
    return bad_input("the noise multiplier must be at least 1/16", "Gaussian noise",
                     "give a number such as 1");
  }
  if (coordinates > std::uint64_t{1} << 40U) {
    return bad_input("noise is added to at most 2^40 numbers at once", "Gaussian noise",
                     "release them in parts");
  }
  const Rational wider = multiplier * (Rational(1) + Rational::power_of_two(-30));
  return wider * wider * squared_distance + Rational(16);
}

Result<void> check_discrete_share(const Rational& epsilon, const Rational& delta,
                                  const Rational& variance, std::uint64_t coordinates,
                                  std::uint64_t parts) {
  // The margin covers the roundings here and in the split of delta above.
  constexpr double kMargin = 1.001;
  const double distance = static_cast<double>(coordinates) / (16 * variance.lower());
  const double needed = (1 + std::exp(epsilon.upper())) * distance * kMargin;
  const double paid = delta.lower() * kDiscreteShare / static_cast<double>(parts);
  if (variance >= Rational(4) && needed <= paid) return {};
  return bad_input("delta is too small to pay for noise on a grid in so many coordinates",
                   "Gaussian noise", "ask for a larger delta, or for zero-concentrated privacy");
}

}  // namespace tacit
