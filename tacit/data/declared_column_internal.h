#pragma once

#include <string>

#include "tacit/base/error.h"
#include "tacit/data/schema.h"
#include "tacit/ledger/workspace_tables.h"

namespace tacit {

// A declared column with its type understood and its values as cells of that type; `table` is its
// place in errors.
Result<Column> to_column(const DeclaredColumn& declared, const std::string& table);

}  // namespace tacit
