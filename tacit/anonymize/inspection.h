#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tacit/anonymize/detectors.h"
#include "tacit/anonymize/source_file.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"

namespace tacit::anonymize {

struct InspectedColumn {
  ColumnFacts facts;
  std::uint64_t unique = 0;  // rows whose value no other row has
  Finding finding;
};

// Columns that together tell rows apart.
struct TellingSet {
  std::vector<std::string> columns;
  std::uint64_t unique = 0;  // rows whose combination no other row has
};

// What a look at a file shows. For the steward alone.
struct Inspection {
  std::string file;
  std::uint64_t rows = 0;
  std::vector<InspectedColumn> columns;
  // Of the proposed quasi-identifiers: single ones, pairs and triples, the most telling first.
  std::vector<TellingSet> sets;

  // A commented policy file with the proposed roles and hierarchies.
  [[nodiscard]] std::string policy() const;
};

Result<Inspection> inspect(Engine& engine, const std::filesystem::path& file);
// The rows of a table of a database are brought here for it.
Result<Inspection> inspect(Engine& engine, SourceFile source);

}  // namespace tacit::anonymize
