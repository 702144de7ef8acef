#pragma once

#include <span>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/data/engine.h"
#include "tacit/data/schema.h"
#include "tacit/ledger/workspace.h"

namespace tacit {

// What a workspace declares of a dataset, in the words of its engine.

// The dialect of the engine that the dataset names.
Result<const Dialect*> dialect_of(const DeclaredDataset& dataset);

// The schema: every type known, every source spelled in the engine's SQL, every path of keys leads
// to a unit. Reads no row; of a CSV file with a header it reads the header.
//
// A source gives exactly the declared columns in the declared types. Where a value that is stored
// is not of the type, or a line of a file cannot be read, it gives NULL or leaves the line out: no
// row makes a query fail.
Result<Schema> schema_of(const Workspace& workspace, const DeclaredDataset& dataset);

// Opens the engine. An embedded one may read the files that the dataset names, and nothing else.
Result<Engine> open_engine(const Workspace& workspace, const DeclaredDataset& dataset);

// Names and types of the columns of a file (path or glob) or of a table, as the engine sees them;
// types of a CSV or JSON file are guessed from its first rows. For the steward, who freezes them in
// tacit.toml: what is guessed depends on rows. Columns of types that private SQL does not know are
// left out.
Result<std::vector<Column>> describe(Engine& engine, const std::string& source);

// Refuses a Parquet file with texts that are not UTF-8: no query could read such a column, and one
// that fails tells that a row is there. Reads all texts; for the steward, before a table is
// declared.
Result<void> check_texts(Engine& engine, const std::string& source,
                         std::span<const Column> columns);

}  // namespace tacit
