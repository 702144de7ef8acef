#include "tacit/mechanisms/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tacit {

Result<Grid> Grid::create(int exponent) {
  if (exponent < kSmallestExponent || exponent > kLargestExponent) {
    return bad_input(
        fmt::format("a grid of 2^{} is outside what a double can hold", exponent), "grid",
        fmt::format("use an exponent from {} to {}", kSmallestExponent, kLargestExponent));
  }
  return Grid(exponent);
}

Result<Grid> Grid::with_at_most(const Rational& value, int bits) {
  if (value.sign() <= 0) return bad_input("a grid is chosen from a number above 0", "grid");
  // 2^(n-1) <= numerator < 2^n and the same for the denominator: off by at most one.
  const auto size = [](const mpz_class& number) {
    return static_cast<std::int64_t>(mpz_sizeinbase(number.get_mpz_t(), 2));
  };
  const mpq_class& exact = value.mpq();
  std::int64_t exponent = size(exact.get_num()) - size(exact.get_den()) - 1 - bits;
  while (value > Rational::power_of_two(exponent + bits)) ++exponent;
  if (exponent < kSmallestExponent || exponent > kLargestExponent) {
    return bad_input(
        fmt::format("{} is too large or too small to choose a grid for", value.approximate()),
        "grid", "rescale the values, for example to another unit");
  }
  return Grid(static_cast<int>(exponent));
}

double Grid::to_real(int128 steps) const {
  return std::ldexp(static_cast<double>(steps), exponent_);
}

std::int64_t Grid::to_whole(int128 steps) const {
  constexpr int128 kMost = std::numeric_limits<std::int64_t>::max();
  constexpr int128 kLeast = std::numeric_limits<std::int64_t>::min();
  if (exponent_ < -126) return 0;
  if (exponent_ < 0) {
    const int128 half = int128{1} << (-exponent_ - 1);
    steps = (std::clamp(steps, -(int128{1} << 126), int128{1} << 126) + half) >> -exponent_;
  } else if (exponent_ > 0) {
    // Anything but 0 saturates from 2^63 on.
    steps = std::clamp(steps, kLeast, kMost) * (int128{1} << std::min(exponent_, 63));
  }
  return static_cast<std::int64_t>(std::clamp(steps, kLeast, kMost));
}

double Grid::to_real_above(std::int64_t steps) const { return (Rational(steps) * step()).upper(); }

mpz_class Grid::nearest(const Rational& value) const {
  const Rational half = *Rational::ratio(1, 2);
  const Rational steps = value / step();
  return steps.sign() < 0 ? (steps - half).ceil() : (steps + half).floor();
}

}  // namespace tacit
