#pragma once

#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/sql/syntax.h"

namespace tacit::learn {

// What a model says of new rows. A model is public once it was released, and what it says of a row
// tells nothing new of the rows it was made from; of the new rows it tells as much as they say
// themselves.

// A table that DuckDB has, and its columns.
struct NewRows {
  std::string table;
  std::vector<std::string> columns;
};

// A SELECT of DuckDB's own SQL that gives every column of the rows and beside them what the model
// (as docs/learn.md describes it) says: cluster and distance; prediction; predicted and
// probability; component_1, .... Values outside a feature's range are clamped as they were for
// learning; where a feature is NULL so is the answer. Refuses what is no model.
Result<std::string> application_sql(const sql::Json& model, const NewRows& rows);

}  // namespace tacit::learn
