#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/data/dialect.h"
#include "tacit/sql/plan.h"

namespace tacit::sql {

// Rows themselves, for what no aggregate can give: a model that looks at every row many times. What
// comes back is private; whoever reads it adds noise to all that leaves.

// The statement that gives `columns`, whole numbers over the input of `rows`, of every row that
// belongs to somebody; of one unit at most as many rows as `plan` allows, the first in the order of
// a hash of the columns that is keyed by `secret`. So the rows of a unit that are kept are a
// function of this unit's rows and of the secret alone. Refuses what is too long to be written.
Result<std::string> bounded_rows_statement(const Aggregation& rows,
                                           const std::vector<ExpressionPtr>& columns,
                                           const AggregationPlan& plan, const Dialect& dialect,
                                           std::string_view secret);

}  // namespace tacit::sql
