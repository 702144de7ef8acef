#pragma once

#include <optional>
#include <vector>

#include "tacit/mechanisms/release.h"
#include "tacit/sql/plan.h"
#include "tacit/sql/syntax.h"

namespace tacit::sql {

// A SELECT over released numbers that gives half-widths beside them.
struct CarriedHalfWidths {
  Json statement;
  // One for each column. Behind all columns of the answer stand the half-widths of those whose
  // kind is not kNone, in their order.
  std::vector<IntervalKind> kinds;
};

// The outer SELECT of a plan with the half-widths of the `wanted` columns, carried from the
// released tables through subqueries, CTEs, joins and set operations:
// - a number that is passed on, or that one row of several gives, keeps its own, and its kind;
// - an expression of several has an approximate one: the root of the sum of squares of the change
//   that each number's half-width makes (the delta method, with the change itself for the slope),
//   as if they were independent;
// - so has an aggregate of released numbers, by the rules of noisy_aggregate_internal.h;
// - anything else has none.
// Empty where the SELECT has a form that columns cannot be added to. No row comes or goes for it.
std::optional<CarriedHalfWidths> carry_half_widths(const QueryPlan& plan,
                                                   const std::vector<bool>& wanted);

}  // namespace tacit::sql
