#pragma once

#include <vector>

#include "tacit/base/error.h"
#include "tacit/sql/plan.h"

namespace tacit::sql {

// Gives every measure its part of what epsilon is divided into: by the shares that the options
// name, or so that the errors of all columns together are least.
Result<void> weigh(std::vector<AggregationPlan>& plans, const BoundQuery& query,
                   const PlanOptions& options);

}  // namespace tacit::sql
