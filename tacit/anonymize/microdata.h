#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tacit/anonymize/coded_rows.h"
#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/policy.h"
#include "tacit/anonymize/records.h"
#include "tacit/anonymize/risk.h"
#include "tacit/anonymize/source_file.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"

namespace tacit::anonymize {

// A table as a policy sees it: each column has a role and each quasi-identifier its hierarchy, and
// the combinations of their values are counted. For the steward: nothing here is for release.
struct Microdata {
  SourceFile source;
  CodedRows rows;
  std::vector<ColumnPolicy> quasi_identifiers;
  std::vector<ColumnPolicy> sensitive;
  std::vector<Hierarchy> hierarchies;  // of each quasi-identifier
  // The values of each sensitive column in their order, by the numbers that records have for them;
  // empty where none was counted.
  std::vector<std::vector<std::string>> sensitive_values;
  Records records;
  std::vector<std::string> plain;  // columns that stay, or become pseudonyms

  // Whether sensitive columns are counted where a criterion looks at one, or always.
  enum class Sensitive : bool { kAsNeeded, kAlways };

  // Refuses a table that lacks a column of the policy or has one that the policy does not name.
  static Result<Microdata> read(Engine& engine, const std::filesystem::path& file,
                                const Policy& policy, Sensitive counted = Sensitive::kAsNeeded);
  static Result<Microdata> read(Engine& engine, SourceFile source, const Policy& policy,
                                Sensitive counted = Sensitive::kAsNeeded);

  // How many different values a quasi-identifier has at a level.
  [[nodiscard]] std::size_t values_at(std::size_t column, std::size_t level) const;
  // How well people are hidden in it as it is.
  [[nodiscard]] ReidentificationRisk risk() const { return reidentification_risk(records.counts); }
};

}  // namespace tacit::anonymize
