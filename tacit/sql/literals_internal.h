#pragma once

#include <optional>
#include <string_view>

#include "tacit/sql/binder_internal.h"

namespace tacit::sql {

// The value of a CONSTANT node; empty where private SQL has no such type.
ExpressionPtr literal_of(const Json& value);
// The type that a syntax tree names.
std::optional<Type> type_of(const Json& type);
// Text read as a value of that type, as SQL literals are written; empty where it cannot be.
std::optional<Cell> parse_literal(std::string_view text, const Type& type);

// `date ± INTERVAL`: empty where `node` is nothing of that kind.
std::optional<Result<ExpressionPtr>> bind_date_shift(const Json& node, const Scope& scope,
                                                     const QueryText& text);

}  // namespace tacit::sql
