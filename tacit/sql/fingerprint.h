#pragma once

#include <string>
#include <string_view>

#include "tacit/data/dialect.h"
#include "tacit/ledger/digest.h"
#include "tacit/sql/plan.h"

namespace tacit::sql {

// What stands for a query's secret wherever its SQL is shown or compared instead of run.
inline constexpr std::string_view kSecretPlaceholder = "SECRET";

// Digest of all that decides the law of what a plan releases: the statements that the engine would
// run, the bounds, the group keys, the noise. Two questions with the same fingerprint ask for the
// same released tables, so the second can be given those of the first. What a query does with
// released tables afterwards (ORDER BY, names, an outer SELECT) is not part of it.
Digest fingerprint(const QueryPlan& plan, const std::string& dataset, const Dialect& dialect);

}  // namespace tacit::sql
