#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/ledger/workspace_tables.h"

namespace tacit::cli {

// The tables that 'tacit init' declares from a look at files.
struct TableOptions {
  std::vector<std::string> tables;  // "visits=visits.csv"
  std::vector<std::string> units;   // "visits=person"

  void add_options(CLI::App& verb);
  [[nodiscard]] bool empty() const { return tables.empty() && units.empty(); }
};

// Declares each table with the columns and types that its file shows; ranges and values are left
// for the steward to say. `folder` is that of the tacit.toml, at which paths will start.
Result<std::vector<DeclaredTable>> look_at_tables(const TableOptions& options,
                                                  const std::filesystem::path& folder);

}  // namespace tacit::cli
