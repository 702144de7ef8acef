#pragma once

#include <compare>
#include <cstdint>

#include "tacit/base/error.h"
#include "tacit/base/int128.h"
#include "tacit/base/rational.h"

namespace tacit {

// The multiples of 2^exponent. Everything that noise is added to is a whole number of steps of a
// grid, so that sums are exact and a sensitivity is an integer. Which grid is used depends on
// public facts only, never on the data.
class Grid {
 public:
  static constexpr int kLargestExponent = 900;
  static constexpr int kSmallestExponent = -900;

  // The integers.
  constexpr Grid() = default;
  // Refuses exponents whose step a double cannot hold with room to spare.
  static Result<Grid> create(int exponent);
  // The finest grid on which `value` (above 0) is at most 2^bits steps.
  static Result<Grid> with_at_most(const Rational& value, int bits);

  [[nodiscard]] constexpr int exponent() const { return exponent_; }
  [[nodiscard]] Rational step() const { return Rational::power_of_two(exponent_); }
  // A nearest double to `steps` steps. For values that are already released.
  [[nodiscard]] double to_real(int128 steps) const;
  // The nearest integer to `steps` steps, ties upward, saturated.
  [[nodiscard]] std::int64_t to_whole(int128 steps) const;
  // A double not below `steps` steps, for half-widths.
  [[nodiscard]] double to_real_above(std::int64_t steps) const;
  // value / step, to the nearest integer, ties away from zero.
  [[nodiscard]] mpz_class nearest(const Rational& value) const;

  constexpr auto operator<=>(const Grid&) const = default;

 private:
  constexpr explicit Grid(int exponent) : exponent_(exponent) {}

  int exponent_ = 0;
};

}  // namespace tacit
