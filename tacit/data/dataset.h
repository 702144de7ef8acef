#pragma once

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

// Looks at all rows of the files and embedded tables of the dataset, and refuses what no query
// should meet: CSV and JSON with records that go on behind the end of their line, which would make
// rows of units that nobody is; and values that the engine cannot read, since a query that fails
// tells that such a row is there. For the steward, when tables are declared and when their files
// have changed: what it answers depends on rows. Rows on a server are not looked at.
Result<void> check_rows(const Workspace& workspace, const DeclaredDataset& dataset);

}  // namespace tacit
