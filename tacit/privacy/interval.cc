#include "tacit/privacy/interval_internal.h"

#include <numbers>

namespace tacit {
namespace {

// Above this Mills' ratio is taken from its own bounds: erfc would soon be subnormal.
constexpr double kFarTail = 35;

Interval half_erfc(double x) {
  const Interval argument = Interval(x) / sqrt(Interval(2));
  return {std::max(0.0, rounding::down(std::erfc(argument.upper) / 2, rounding::kLibraryUlps)),
          rounding::up(std::erfc(argument.lower) / 2, rounding::kLibraryUlps)};
}

// 2 / (x + sqrt(x^2 + 4)) <= mills(x) <= 4 / (3x + sqrt(x^2 + 8)) for x > 0 (Birnbaum 1942,
// Sampford 1953): within 1e-6 of each other where they are used.
double far_mills_lower(double x) {
  return (Interval(2) / (Interval(x) + sqrt(square(x) + 4))).lower;
}
double far_mills_upper(double x) {
  return (Interval(4) / (Interval(3) * x + sqrt(square(x) + 8))).upper;
}

}  // namespace

Interval normal_tail(const Interval& x) {
  return {half_erfc(x.upper).lower, half_erfc(x.lower).upper};
}

Interval normal_density(const Interval& x) {
  constexpr double kPi = std::numbers::pi;
  const Interval two_pi = Interval(2) * Interval(kPi, rounding::up(kPi));
  return exp(-square(x) / 2) / sqrt(two_pi);
}

Interval mills_ratio(const Interval& x) {
  const auto near = [](double v) { return half_erfc(v) / normal_density(v); };
  return {x.upper > kFarTail ? far_mills_lower(x.upper) : near(x.upper).lower,
          x.lower > kFarTail ? far_mills_upper(x.lower) : near(x.lower).upper};
}

}  // namespace tacit
