#pragma once

#include "tacit/sql/plan.h"

namespace tacit::sql {

// The bounds, keys and measures of one aggregation; noise comes later.
Result<AggregationPlan> plan_measures(const Aggregation& aggregation, const Schema& schema,
                                      const PlanOptions& options);

}  // namespace tacit::sql
