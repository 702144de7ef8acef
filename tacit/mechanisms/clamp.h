#pragma once

#include <cstdint>
#include <span>

#include "tacit/base/error.h"
#include "tacit/base/int128.h"
#include "tacit/base/rational.h"
#include "tacit/mechanisms/grid.h"

namespace tacit {

// Maps any value of a row to a whole number of grid steps between two bounds:
//
//   - the value is clamped to [lower, upper] and rounded to the nearest step, ties away from zero;
//     infinities become the bound on their side;
//   - NaN becomes the step between the bounds that is nearest to zero.
//
// The map looks at one row only, is defined for every bit pattern, and never leaves the bounds:
// the last thing that happens to a value is an integer comparison with each bound, so this holds
// whatever the floating-point environment did before. A float is widened to double, which is
// exact. proof.md beside this file says what follows for sums.
class Clamp {
 public:
  // Bounds are held in steps of at most this magnitude; any 2^64 rows then sum within 128 bits.
  static constexpr std::int64_t kLargestSteps = std::int64_t{1} << 62;

  // Refuses lower > upper and bounds of more than kLargestSteps steps. Each bound is rounded to
  // its nearest step.
  static Result<Clamp> create(const Rational& lower, const Rational& upper, Grid grid);

  // In steps of the grid.
  [[nodiscard]] std::int64_t lower() const { return lower_; }
  [[nodiscard]] std::int64_t upper() const { return upper_; }
  [[nodiscard]] Grid grid() const { return grid_; }

  [[nodiscard]] std::int64_t operator()(double value) const;
  [[nodiscard]] std::int64_t operator()(std::int64_t value) const;

  // The exact sum of the clamped values; the order of the rows does not matter.
  [[nodiscard]] int128 sum(std::span<const double> values) const;
  [[nodiscard]] int128 sum(std::span<const std::int64_t> values) const;

 private:
  Clamp(std::int64_t lower, std::int64_t upper, Grid grid);

  [[nodiscard]] std::int64_t within(std::int64_t steps) const {
    return steps < lower_ ? lower_ : (steps > upper_ ? upper_ : steps);
  }

  std::int64_t lower_;
  std::int64_t upper_;
  Grid grid_;
  double steps_per_unit_;  // 2^-exponent, exact
};

// Nearest int64. One-Lipschitz, so it keeps any sensitivity.
[[nodiscard]] std::int64_t saturate(int128 value);

}  // namespace tacit
