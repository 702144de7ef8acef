#pragma once

#include <span>

#include "tacit/sql/expression.h"

namespace tacit::sql {

// What is known of a function's value from what is known of its arguments.
Facts facts_of_call(Function function, std::span<const ExpressionPtr> arguments, const Type& type);
// The same of kYear, kDaysBetween and the begins of periods (kTruncate...): where dates have a
// range, there are only so many.
Facts facts_of_date_call(Function function, std::span<const ExpressionPtr> arguments);
// Of a date as a timestamp, or the other way round.
Facts facts_of_date_cast(const Expression& operand, const Type& type);
// Of a number rounded to so many places.
Facts rounded_facts(const Facts& facts, int places);
// Of a value that is one of these.
Facts facts_of_choice(std::span<const ExpressionPtr> choices);

}  // namespace tacit::sql
