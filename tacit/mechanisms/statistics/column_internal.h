#pragma once

#include <algorithm>
#include <cstdint>

#include "tacit/mechanisms/additive_internal.h"
#include "tacit/mechanisms/clamp.h"
#include "tacit/mechanisms/noise.h"
#include "tacit/mechanisms/statistics/sum.h"

namespace tacit::internal {

inline Rational magnitude(const Rational& value) { return value.sign() < 0 ? -value : value; }

// The greater magnitude of the two bounds.
inline Rational largest_magnitude(const Rational& lower, const Rational& upper) {
  return std::max(magnitude(lower), magnitude(upper));
}

// Theorem 1 of ../proof.md in real numbers; it chooses the grid, on which the integers then decide.
inline Rational real_sensitivity(const Rational& lower, const Rational& upper,
                                 const Contribution& contribution) {
  const Rational rows = from_word(contribution.rows);
  if (contribution.neighbours == Neighbours::kAddRemove) {
    return rows * largest_magnitude(lower, upper);
  }
  if (contribution.fixed_rows) return rows * (upper - lower);
  return rows * (std::max(upper, Rational(0)) - std::min(lower, Rational(0)));
}

inline Result<void> check_bounds(const Rational& lower, const Rational& upper) {
  if (lower < upper) return {};
  return bad_input("the lower bound must be below the upper bound", "bounds",
                   "give the smallest and the largest value a row may count for");
}

inline Result<Interval> exact_interval(const AdditiveNoise& noise, Grid grid) {
  TACIT_ASSIGN_OR_RETURN(const std::int64_t steps, noise.half_width(kDefaultConfidence));
  return Interval{grid.to_real_above(steps), kDefaultConfidence, IntervalKind::kExact};
}

}  // namespace tacit::internal
