#pragma once

#include <string>

#include "tacit/base/error.h"
#include "tacit/data/engine.h"
#include "tacit/data/file_source_internal.h"
#include "tacit/data/schema.h"

namespace tacit {

// Looks at every line of CSV or JSON files. Refuses those with a record that goes on behind the end
// of its line: its lines would be rows, each of whatever unit it names.
Result<void> check_lines(Engine& engine, const std::string& pattern, FileFormat format,
                         bool has_header);

// Looks at every value of the table, as queries read it. Refuses a column with one that DuckDB
// cannot read; `place` is that of the table in errors.
Result<void> check_values(Engine& engine, const TableSchema& table, const std::string& place);

}  // namespace tacit
