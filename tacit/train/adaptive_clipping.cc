#include "tacit/train/adaptive_clipping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tacit::train {
namespace {

// A bound beyond these would be the work of noise alone.
constexpr double kLeastBound = 1e-9;
constexpr double kMostBound = 1e9;

Rational squared(const Rational& value) { return value * value; }

}  // namespace

Result<void> AdaptiveClipping::check() const {
  if (!(quantile > 0 && quantile < 1)) {
    return bad_input("the quantile must lie between 0 and 1", "adaptive clipping",
                     "give 0.5 to follow the median of the norms");
  }
  if (!(learning_rate > 0 && learning_rate <= 2)) {
    return bad_input("the rate of the bound must lie above 0, and at most at 2",
                     "adaptive clipping", "give a number such as 0.2");
  }
  return {};
}

Rational AdaptiveClipping::count_noise_for(const Rational& noise_multiplier,
                                           const Rational& expected_batch) const {
  if (count_noise) return *count_noise;
  return std::max(expected_batch / Rational(10), noise_multiplier * Rational(4));
}

std::string AdaptiveClipping::to_text(const Rational& used_noise) const {
  return fmt::format("quantile {}, rate {}, count noise {}", quantile, learning_rate,
                     used_noise.to_string());
}

double AdaptiveClipping::moved(double bound, double votes, double expected_batch) const {
  const double within = std::clamp(0.5 + votes / (2 * expected_batch), 0.0, 1.0);
  return std::clamp(bound * std::exp(-learning_rate * (within - quantile)), kLeastBound,
                    kMostBound);
}

Result<Rational> gradient_noise_beside(const Rational& whole, const Rational& count_noise) {
  if (whole.sign() <= 0 || count_noise <= whole) {
    return bad_input("the count must have more noise than the run as a whole", "adaptive clipping",
                     "give a count noise above the noise multiplier");
  }
  const Rational inverse = Rational(1) / squared(whole) - Rational(1) / squared(count_noise);
  // Above the root by a part in a billion, and then checked exactly.
  TACIT_ASSIGN_OR_RETURN(const Rational root,
                         Rational::exactly((1 + 1e-9) / std::sqrt(inverse.approximate())));
  const Rational places = Rational::power_of_two(30);
  Rational rounded = Rational(mpq_class((root * places).ceil())) / places;
  if (Rational(1) / squared(rounded) > inverse) {
    return bad_input("the noise of the gradients cannot be found", "adaptive clipping",
                     "give the count more noise");
  }
  return rounded;
}

}  // namespace tacit::train
