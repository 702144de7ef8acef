#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "tacit/base/error.h"
#include "tacit/data/engine.h"
#include "tacit/data/schema.h"
#include "tacit/ledger/ledger.h"
#include "tacit/sql/plan.h"
#include "tacit/sql/release.h"

namespace tacit::sql {

// The whole road of a query, from text to answer: bind, plan, reserve, aggregate, noise, finish.
//
//   TACIT_ASSIGN_OR_RETURN(Engine embedded, Engine::duckdb_in_memory(Engine::Files::kRefused));
//   TACIT_ASSIGN_OR_RETURN(auto plan, prepare("SELECT count(*) FROM visits", schema, {},
//   embedded)); TACIT_ASSIGN_OR_RETURN(auto asked, ask(std::move(plan), asker, ledger, engine,
//   embedded));

// Binds and plans; touches no row, charges nothing. `embedded` parses; `schema` outlives the plan.
Result<QueryPlan> prepare(const std::string& text, const Schema& schema, const PlanOptions& options,
                          Engine& embedded);
Result<QueryPlan> prepare(BoundQuery query, const Schema& schema, const PlanOptions& options,
                          Engine& embedded);

struct Asker {
  AccountId account;  // "visits/alice"
  std::string who;
  std::string note;  // what was asked, for the ledger
  // Pay for new noise even where the same was released before.
  bool fresh = false;
};

// Who paid for a release that is on record, and when.
struct OnRecord {
  std::string who;
  std::chrono::sys_seconds time;
};

struct Asked {
  Answer answer;
  // The ledger entry that paid; empty where nothing private was read.
  std::string entry;
  // The bounds that were learnt first, for each aggregation of the plan.
  std::vector<LearnedBounds> learned;
  // Of the released tables as they are kept on record.
  std::optional<Digest> release;
  // Given where the answer stands on an earlier release, which cost nothing now.
  std::optional<OnRecord> on_record;
  // Why the release could not be kept on record; asking again would pay again.
  std::optional<Error> not_recorded;
};

// The release on record is given again, unless `asker.fresh` or there is none. Otherwise the plan's
// cost is reserved, and only then rows are read. What is reserved stays spent, whatever happens
// after; errors from then on say so. `engine` holds the rows; `embedded` is a DuckDB in memory that
// reaches no file.
Result<Asked> ask(const QueryPlan& plan, const Asker& asker, Ledger& ledger, Engine& engine,
                  Engine& embedded);

}  // namespace tacit::sql
