#pragma once

#include <cmath>

#include "tacit/mechanisms/additive_internal.h"
#include "tacit/mechanisms/sensitivity.h"

namespace tacit::internal {

// Theorem 4 of ../proof.md in real numbers, for rows of magnitude up to `reach`, rounded up; it
// chooses the grid, on which the integers then decide.
inline Result<Rational> group_norm(const Rational& reach, const GroupContribution& contribution,
                                   bool l1) {
  const Rational groups = from_word(contribution.groups);
  const Rational most = from_word(contribution.rows) * reach;
  const Rational twice = contribution.neighbours == Neighbours::kReplace ? 2 : 1;
  if (l1) return twice * groups * most;
  // (p + q)^2 is at most 4 s^2.
  return Rational::exactly(std::sqrt((groups * twice * twice * most * most).upper()) * (1 + 1e-12));
}

}  // namespace tacit::internal
