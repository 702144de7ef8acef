#pragma once

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

// Binds and plans. Touches no row and charges nothing. `embedded` parses.
Result<QueryPlan> prepare(const std::string& text, const Schema& schema, const PlanOptions& options,
                          Engine& embedded);

struct Asker {
  AccountId account;  // "visits/alice"
  std::string who;
  std::string note;  // what was asked, for the ledger
};

struct Asked {
  Answer answer;
  std::string entry;  // the ledger entry that paid
};

// Reserves the plan's cost, and only then reads rows. What is reserved stays spent, whatever
// happens after. `engine` holds the rows; `embedded` is a DuckDB in memory that reaches no file.
Result<Asked> ask(const QueryPlan& plan, const Asker& asker, Ledger& ledger, Engine& engine,
                  Engine& embedded);

}  // namespace tacit::sql
