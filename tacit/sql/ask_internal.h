#pragma once

#include <string>

#include "tacit/sql/ask.h"

namespace tacit::sql {

// The answer that stands on a release on record.
Result<Asked> give_again(const Ledger::RecordedRelease& recorded, const QueryPlan& plan,
                         Engine& engine, Engine& embedded);

// Refuses what could be planned and could not be run: statements too long, an outer SELECT that
// fails on tables of the right shape; the plan keeps the one that ran.
Result<void> check_runs(QueryPlan& plan, Engine& embedded);

}  // namespace tacit::sql
