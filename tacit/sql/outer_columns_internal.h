#pragma once

#include <vector>

#include "tacit/data/schema.h"
#include "tacit/sql/syntax.h"

namespace tacit::sql {

// The columns of a public table that the outer part of a query can read: those whose names stand in
// it, or all where it can reach columns without naming them. Wide public tables are copied next to
// the released ones, so what is not read had better stay where it is.
std::vector<Column> columns_read(const Json& outer, const TableSchema& table);

}  // namespace tacit::sql
