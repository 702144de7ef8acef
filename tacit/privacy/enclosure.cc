#include "tacit/privacy/enclosure_internal.h"

#include <numbers>

namespace tacit {
namespace {

// Above this Mills' ratio is taken from its own bounds: erfc would soon be subnormal.
constexpr double kFarTail = 35;

Enclosure half_erfc(double x) {
  const Enclosure argument = Enclosure(x) / sqrt(Enclosure(2));
  return {std::max(0.0, rounding::down(std::erfc(argument.upper) / 2, rounding::kLibraryUlps)),
          rounding::up(std::erfc(argument.lower) / 2, rounding::kLibraryUlps)};
}

// 2 / (x + sqrt(x^2 + 4)) <= mills(x) <= 4 / (3x + sqrt(x^2 + 8)) for x > 0 (Birnbaum 1942,
// Sampford 1953): within 1e-6 of each other where they are used.
double far_mills_lower(double x) {
  return (Enclosure(2) / (Enclosure(x) + sqrt(square(x) + 4))).lower;
}
double far_mills_upper(double x) {
  return (Enclosure(4) / (Enclosure(3) * x + sqrt(square(x) + 8))).upper;
}

}  // namespace

Enclosure normal_tail(const Enclosure& x) {
  return {half_erfc(x.upper).lower, half_erfc(x.lower).upper};
}

Enclosure normal_density(const Enclosure& x) {
  constexpr double kPi = std::numbers::pi;
  const Enclosure two_pi = Enclosure(2) * Enclosure(kPi, rounding::up(kPi));
  return exp(-square(x) / 2) / sqrt(two_pi);
}

Enclosure mills_ratio(const Enclosure& x) {
  const auto near = [](double v) { return half_erfc(v) / normal_density(v); };
  return {x.upper > kFarTail ? far_mills_lower(x.upper) : near(x.upper).lower,
          x.lower > kFarTail ? far_mills_upper(x.lower) : near(x.lower).upper};
}

}  // namespace tacit
