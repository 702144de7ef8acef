#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/ledger/workspace_tables.h"
#include "tacit/privacy/neighbours.h"

namespace tacit {

// What tacit.toml says. It holds public facts only, so that it can lie in version control: no
// password, and nothing that was learnt from private rows. docs/workspace.md is its manual.

// The budget an account is opened with. Without a delta the account is kept in pure epsilon. The
// ledger, not this file, knows what the cap is now and what is spent.
//
// With a delta, the steward may choose what the ledger chooses otherwise: the Rényi orders that are
// tracked, the cap at each, and the share of delta kept for requests that have one of their own.
struct DeclaredBudget {
  Rational epsilon;
  std::optional<Rational> delta;
  std::vector<double> orders;  // empty: the one that suits Gaussian noise
  std::vector<Rational> caps;  // one for each order; empty: the largest that keep the promise
  std::optional<Rational> delta_reserve;  // without it, half of delta
  bool operator==(const DeclaredBudget&) const = default;
};

// An analyst's own cap inside a dataset's.
struct DeclaredAnalyst {
  std::string name;
  DeclaredBudget budget;
  bool operator==(const DeclaredAnalyst&) const = default;
};

// Parts that compose in parallel. `by` says, for people, which public function of the unit alone
// decides the part; without names the dataset has no parts.
struct DeclaredParts {
  std::string by;
  std::vector<std::string> names;
  bool operator==(const DeclaredParts&) const = default;
};

struct DeclaredDataset {
  std::string name;
  Neighbours neighbours = Neighbours::kAddRemove;
  DeclaredBudget budget;
  DeclaredParts parts;
  std::vector<DeclaredAnalyst> analysts;
  DeclaredData data;
  bool operator==(const DeclaredDataset&) const = default;
};

// The ledger as a file of this workspace. Relative to the folder of tacit.toml.
struct SqliteLedger {
  std::filesystem::path file = "ledger.sqlite";
  bool operator==(const SqliteLedger&) const = default;
};

// The ledger on a server. The URI never holds a password: libpq takes it from PGPASSWORD,
// PGPASSFILE or a service file.
struct PostgresLedger {
  std::string uri;
  std::string schema = "tacit";
  bool operator==(const PostgresLedger&) const = default;
};

using LedgerPlace = std::variant<SqliteLedger, PostgresLedger>;

// "ledger.sqlite", or "postgresql://..." (also "postgres://"). Refuses a URI that holds a secret or
// that libpq cannot read, and does not repeat it.
Result<LedgerPlace> parse_ledger_place(std::string_view text);

struct Workspace {
  static constexpr std::string_view kFileName = "tacit.toml";
  // In bytes; a longer file is refused.
  static constexpr std::size_t kLargestFile = std::size_t{1} << 20;

  // Where tacit.toml lies; paths in it start here.
  std::filesystem::path folder;
  LedgerPlace ledger;
  // In the order of their names.
  std::vector<DeclaredDataset> datasets;

  // Reads the text of a tacit.toml. Strict: an unknown key, a value of the wrong type or out of
  // range is refused with its line. `file` is the name used in errors; its folder becomes `folder`.
  static Result<Workspace> parse(std::string_view text, const std::filesystem::path& file);

  // `place` is a tacit.toml or the folder it lies in.
  static Result<Workspace> read(const std::filesystem::path& place);

  // The workspace of `start`: that folder's or, as git does, that of the nearest folder above.
  static Result<Workspace> find(const std::filesystem::path& start);
  // The same where there need not be one.
  static Result<std::optional<Workspace>> find_if_any(const std::filesystem::path& start);

  // The absolute path of a SQLite ledger; empty where the ledger is on a server.
  [[nodiscard]] std::filesystem::path ledger_file() const;

  // The dataset of that name, or a refusal that lists the names there are.
  [[nodiscard]] Result<DeclaredDataset> dataset(std::string_view name) const;

  // A commented tacit.toml that reads back as this workspace.
  [[nodiscard]] std::string to_toml() const;

  // Writes it to folder/tacit.toml, whole or not at all. Refuses to overwrite.
  [[nodiscard]] Result<void> save_new() const;

  bool operator==(const Workspace&) const = default;
};

}  // namespace tacit
