#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tacit/anonymize/coded_rows.h"
#include "tacit/anonymize/policy.h"
#include "tacit/anonymize/publication.h"
#include "tacit/anonymize/records.h"
#include "tacit/anonymize/risk.h"
#include "tacit/anonymize/search.h"
#include "tacit/anonymize/source_file.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"
#include "tacit/privacy/permit.h"

namespace tacit::anonymize {

// A table as a policy sees it: each column has a role and each quasi-identifier its hierarchy, and
// the combinations of their values are counted. For the steward: nothing here is for release.
struct Microdata {
  SourceFile source;
  CodedRows rows;
  std::vector<ColumnPolicy> quasi_identifiers;
  std::vector<Hierarchy> hierarchies;  // of each quasi-identifier
  Records records;
  std::vector<std::string> plain;  // columns that stay, or become pseudonyms

  // Refuses a file that lacks a column of the policy or has one that the policy does not name.
  static Result<Microdata> read(Engine& engine, const std::filesystem::path& file,
                                const Policy& policy);

  // How well people are hidden in it as it is.
  [[nodiscard]] ReidentificationRisk risk() const { return reidentification_risk(records.counts); }
};

// What was chosen for a table, and what is left of it.
struct Choice {
  Recoding recoding;
  Classes classes;
  std::vector<bool> is_kept;  // of each class
  ReidentificationRisk risk;  // of what is kept
  std::size_t nodes = 0;      // of the lattice
  std::size_t looked_at = 0;
};

// The best recoding that satisfies the policy. Where there is none, a refusal that says what would
// do.
Result<Choice> choose(const Microdata& data, const Policy& policy);

// Lets the engine write the table as it was chosen, and puts it in place once what was written
// satisfies the policy too: read anew, as others will. A file of that name is replaced, or left as
// it was where anything fails. `key` is needed where the policy asks for pseudonyms; `permit` is
// that of a ledger, where there is one.
Result<void> publish(Engine& engine, const Microdata& data, const Policy& policy,
                     const Choice& choice, std::optional<PseudonymKey> key,
                     std::optional<Permit> permit, const std::filesystem::path& output);

}  // namespace tacit::anonymize
