#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tacit/anonymize/microdata.h"
#include "tacit/anonymize/policy.h"
#include "tacit/anonymize/records.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"

namespace tacit::attacks {

// A table as an adversary reads it: the rows that look alike in the quasi-identifiers are a class,
// and of each class he sees how often the sensitive values stand in it. A table that was never
// recoded is one too; its classes are the combinations that people really have.
struct ReleasedTable {
  struct Column {
    std::string name;
    std::vector<anonymize::Value> values;  // what stands in it, as texts; NULL is the empty one
  };

  std::string name;
  std::vector<Column> quasi_identifiers;
  std::vector<Column> sensitive;
  // A record for each class; leaves and sensitive values are places in the columns' values.
  anonymize::Records classes;
  // Identifiers that the policy drops and the file has all the same.
  std::vector<std::string> identifiers;

  // Reads a file with the roles of a policy. Columns that the file lacks are left out; without any
  // quasi-identifier it is refused. The engine must not have read rows before; what comes out of it
  // is the number of rows of each combination.
  static Result<ReleasedTable> read(Engine& engine, const std::filesystem::path& file,
                                    const anonymize::Policy& policy);

  // The rows of a table that a policy is about to publish, as they are: each combination of
  // quasi-identifiers is a class. All sensitive columns must have been counted.
  static ReleasedTable of(const anonymize::Microdata& data);

  // What a class shows: "age 30-39, zip 1322*".
  [[nodiscard]] std::string shown(std::size_t index) const;
  // The sensitive column of that name; a refusal that names those there are.
  [[nodiscard]] Result<std::size_t> find_sensitive(const std::string& column) const;
  // The rows of each value of a sensitive column.
  [[nodiscard]] std::vector<std::uint64_t> totals(std::size_t column) const;
};

}  // namespace tacit::attacks
