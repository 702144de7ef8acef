#pragma once

#include <span>

#include "tacit/sql/expression.h"

namespace tacit::sql {

// What is known of a function's value from what is known of its arguments.
Facts facts_of_call(Function function, std::span<const ExpressionPtr> arguments, const Type& type);
// Of a value that is one of these.
Facts facts_of_choice(std::span<const ExpressionPtr> choices);

}  // namespace tacit::sql
