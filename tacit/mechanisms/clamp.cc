#include "tacit/mechanisms/clamp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tacit {
namespace {

constexpr double kLargestRealSteps = static_cast<double>(Clamp::kLargestSteps);

// value / 2^exponent for exponent > 0, to the nearest integer, ties away from zero.
std::int64_t divide_by_power(std::int64_t value, int exponent) {
  if (exponent > 64) return 0;  // |value| is at most 2^63, less than half a step
  const int128 magnitude = value < 0 ? -int128{value} : int128{value};
  const auto steps =
      static_cast<std::int64_t>((magnitude + (int128{1} << (exponent - 1))) >> exponent);
  return value < 0 ? -steps : steps;
}

// value * 2^exponent for exponent > 0, saturated.
std::int64_t multiply_by_power(std::int64_t value, int exponent) {
  // From 2^63 on every value but 0 saturates.
  return saturate(int128{value} * (int128{1} << std::min(exponent, 63)));
}

}  // namespace

std::int64_t saturate(int128 value) {
  constexpr int128 kMost = std::numeric_limits<std::int64_t>::max();
  constexpr int128 kLeast = std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value > kMost ? kMost : (value < kLeast ? kLeast : value));
}

Clamp::Clamp(std::int64_t lower, std::int64_t upper, Grid grid)
    : lower_(lower),
      upper_(upper),
      grid_(grid),
      steps_per_unit_(std::ldexp(1.0, -grid.exponent())) {}

Result<Clamp> Clamp::create(const Rational& lower, const Rational& upper, Grid grid) {
  if (lower > upper) {
    return bad_input(fmt::format("the lower bound {} is above the upper bound {}",
                                 lower.to_string(), upper.to_string()),
                     "bounds", "give the smaller bound first");
  }
  const mpz_class least = grid.nearest(lower);
  const mpz_class most = grid.nearest(upper);
  const mpz_class limit(static_cast<long>(kLargestSteps));
  if (abs(least) > limit || abs(most) > limit) {
    return bad_input(fmt::format("the bounds {} and {} are more than 2^62 steps of 2^{}",
                                 lower.to_string(), upper.to_string(), grid.exponent()),
                     "bounds", "use a coarser grid or tighter bounds");
  }
  return Clamp(least.get_si(), most.get_si(), grid);
}

std::int64_t Clamp::operator()(double value) const {
  if (std::isnan(value)) return within(0);
  // By a power of two: exact, beyond all bounds, or so small that it rounds to zero anyway.
  const double steps = value * steps_per_unit_;
  if (steps >= kLargestRealSteps) return upper_;
  if (steps <= -kLargestRealSteps) return lower_;
  return within(static_cast<std::int64_t>(std::round(steps)));
}

std::int64_t Clamp::operator()(std::int64_t value) const {
  const int exponent = grid_.exponent();
  if (exponent == 0) return within(value);
  return within(exponent > 0 ? divide_by_power(value, exponent)
                             : multiply_by_power(value, -exponent));
}

int128 Clamp::sum(std::span<const double> values) const {
  int128 total = 0;
  for (const double value : values) total += (*this)(value);
  return total;
}

int128 Clamp::sum(std::span<const std::int64_t> values) const {
  int128 total = 0;
  for (const std::int64_t value : values) total += (*this)(value);
  return total;
}

}  // namespace tacit
