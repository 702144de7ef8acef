#include "tacit/train/adaptive_clipping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tacit::train {
namespace {

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
  if (!(least_bound > 0 && least_bound <= most_bound && most_bound < HUGE_VAL)) {
    return bad_input("the bound stays between two numbers above 0, the lesser first",
                     "adaptive clipping", "give for example 0.1 and 10");
  }
  return {};
}

Rational AdaptiveClipping::count_noise_for(const Rational& noise_multiplier,
                                           const Rational& expected_batch) const {
  if (count_noise) return *count_noise;
  return std::max(expected_batch / Rational(10), noise_multiplier * Rational(4));
}

std::string AdaptiveClipping::to_text(const Rational& used_noise) const {
  const AdaptiveClipping usual;
  const bool declared = least_bound != usual.least_bound || most_bound != usual.most_bound;
  return fmt::format("quantile {}, rate {}, count noise {}{}", quantile, learning_rate,
                     used_noise.to_string(),
                     declared ? fmt::format(" between {} and {}", least_bound, most_bound) : "");
}

double AdaptiveClipping::moved(double bound, double votes, double expected_batch) const {
  const double within = std::clamp(0.5 + votes / (2 * expected_batch), 0.0, 1.0);
  return std::clamp(bound * std::exp(-learning_rate * (within - quantile)), least_bound,
                    most_bound);
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
