#pragma once

#include "tacit/sql/syntax.h"

namespace tacit::sql {

// A column of a SELECT may be named by those behind it and by the clauses of the same SELECT:
// SELECT n + n AS a, a + a AS b. The embedded engine writes each such name out, so that a short
// text can stand for an expression that no machine holds.

// The most expressions that a query may have when these names are written out. The engine takes
// some tenths of a second to bind so many.
inline constexpr int kMostExpressions = 10'000;

// The column or clause with which a SELECT of `query` passes that; nullptr where none does. A name
// that is a column's of FROM as well is counted as if it were not.
const Json* overlong_part(const Json& query);

}  // namespace tacit::sql
