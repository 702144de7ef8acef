#pragma once

#include "tacit/base/error.h"
#include "tacit/data/engine.h"
#include "tacit/data/schema.h"
#include "tacit/sql/bound.h"

namespace tacit::sql {

// From the text of a query to what it asks: parses it with the embedded DuckDB and settles every
// name, type and privacy unit. Touches no row. Refuses by name, with the place in the text and a
// way out, whatever private SQL does not answer. `schema` must outlive the result.
Result<BoundQuery> bind(const QueryText& text, const Schema& schema, Engine& parser);

}  // namespace tacit::sql
