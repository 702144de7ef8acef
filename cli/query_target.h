#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/ledger_access.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"
#include "tacit/data/schema.h"
#include "tacit/ledger/ledger.h"
#include "tacit/ledger/workspace.h"
#include "tacit/sql/batch.h"
#include "tacit/sql/plan.h"

namespace tacit::cli {

// The options by which 'tacit query' and 'tacit plan' say what a question is put to and what it
// may cost. Numbers stay text until they are read exactly.
struct QueryOptions {
  Writer writer;
  std::string dataset;
  std::string epsilon;
  std::string delta;
  std::string within;
  std::string shares;
  std::string max_groups;
  std::string max_rows;
  std::string learn;
  bool learn_rows = false;
  std::string batch;  // a file of statements, or - for standard input

  void add_options(CLI::App& verb);
};

// What a question is put to: a dataset of a workspace, and the account that pays.
struct QueryTarget {
  Workspace workspace;
  DeclaredDataset dataset;
  Schema schema;
  Account account;  // as it stood when the target was found
  std::string who;
};

// Whether --as may be left out: a plan charges nobody.
enum class AskedBy : bool { kAnybody, kNamed };

Result<QueryTarget> find_target(const QueryOptions& options, AskedBy asked_by,
                                const Workspace& workspace, Ledger& ledger);

// A question without --delta gets this part of the account's, so that private group keys can be
// asked for without thinking of it. The ledger keeps half of an account's delta for such requests:
// fifty of them fit.
inline constexpr std::int64_t kDeltaParts = 100;

// What the options say of a question's bounds, and its delta; all but the epsilon.
Result<sql::PlanOptions> limits(const QueryOptions& options, const QueryTarget& target);

// Binds and plans a statement as the options say; with --within, at the least epsilon that is exact
// enough. Without either a refusal. The plan points into the target's schema.
Result<sql::QueryPlan> prepare(const std::string& statement, const QueryOptions& options,
                               const QueryTarget& target, Engine& embedded);
// The same for all statements of a text together.
Result<sql::BatchPlan> prepare_batch(const std::string& text, const QueryOptions& options,
                                     const QueryTarget& target, Engine& embedded);

// Refuses a statement beside --batch.
Result<void> check_batch(const QueryOptions& options, const std::string& statement);
// The text of the file that --batch names.
Result<std::string> read_batch(const std::string& file);

}  // namespace tacit::cli
