#pragma once

#include "tacit/sql/plan.h"

namespace tacit::sql {

// What a row gives to a measure, as expressions over the rows of the aggregation's input.

// A number as a literal of that type, rounded down to its last decimal place.
ExpressionPtr number_literal(const Rational& value, const Type& type);

// The argument as something whose sum is exact: reals are brought into their range and rounded to
// whole steps, exact numbers are what they are.
ExpressionPtr summable(const Expression& argument, const ExpressionPtr& value,
                       const Rational& step);

// (steps - centre)^2, an integer.
ExpressionPtr squared_offset(const Measure& measure);

// The point of a quantile's grid that is nearest to a value.
ExpressionPtr grid_point(const QuantileMeasure& measure);

}  // namespace tacit::sql
