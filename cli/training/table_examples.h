#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/training/config.h"
#include "cli/training/examples.h"
#include "tacit/base/error.h"
#include "tacit/data/schema.h"
#include "tacit/ledger/workspace.h"

namespace tacit::training {

// A column as a model reads it: a number scaled from its declared range to [-1, 1], or one number
// for each declared value, 1 for the one it has and 0 for the others.
struct Feature {
  Column column;
  // How many numbers it takes.
  [[nodiscard]] std::int64_t width() const;
};

// What a model reads of a table, by what tacit.toml declares of it. Depends on no row.
struct TableEncoding {
  TableSchema table;
  std::vector<Feature> features;
  Column label;
  std::vector<Cell> label_values;  // in the order of the classes
  MissingValues missing = MissingValues::kLeaveOut;

  [[nodiscard]] std::int64_t width() const;
  [[nodiscard]] std::vector<std::string> classes() const;
};

// Whose rows a table may have: one row a unit, or nobody's.
enum class Rows : std::uint8_t { kPrivate, kPrivateTest, kPublic };

// Refuses a table or column that is not declared, a column without a range or values, and a table
// in which a unit may have several rows.
Result<TableEncoding> encode(const TableSource& source, const Schema& schema, Rows rows);

// Reads the rows out of the engine that keeps them. Refuses labels that are no declared value; rows
// without a label are left out.
Result<Examples> read_table_examples(const TableEncoding& encoding, const Workspace& workspace,
                                     const DeclaredDataset& dataset);

}  // namespace tacit::training
