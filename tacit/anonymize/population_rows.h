#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tacit/anonymize/hierarchy_rule.h"
#include "tacit/anonymize/policy.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"

namespace tacit::anonymize {

// A population of which a table is a part, by its quasi-identifiers: each combination once.
struct PopulationRows {
  std::vector<std::vector<std::string>> values;  // of each column, a text for each combination
  std::vector<std::uint64_t> rows;               // of each combination

  // The file must have the columns; others it may have are not read.
  static Result<PopulationRows> read(Engine& engine, const std::filesystem::path& file,
                                     const std::vector<ColumnPolicy>& columns);

  // The values of a column of the table and those that only the population has, which have no rows.
  [[nodiscard]] std::vector<Value> with_values_of(std::size_t column,
                                                  const std::vector<Value>& table) const;
};

}  // namespace tacit::anonymize
