#pragma once

#include "tacit/sql/plan.h"

namespace tacit::sql {

// The bounds, keys and measures of one aggregation; noise comes later.
Result<AggregationPlan> plan_measures(const Aggregation& aggregation, const Schema& schema,
                                      const PlanOptions& options);

// The measures and answers alone, appended to a plan whose bounds stand. Ranges that are learnt get
// what plan.learned says, or a stand-in.
Result<void> plan_answers(const Aggregation& aggregation, bool learn_ranges, AggregationPlan& plan);

}  // namespace tacit::sql
