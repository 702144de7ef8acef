#pragma once

#include <cstdint>

#include "tacit/base/error.h"
#include "tacit/sql/plan_budget_internal.h"

namespace tacit::sql {

// Gives each part of a plan its mechanism, as the budget says: learners, the choice of keys, noise
// on measures (Laplace, or Gaussian), quantiles.
Result<void> price(AggregationPlan& plan, const AggregationBudget& budget, Neighbours neighbours,
                   double confidence);

// The largest magnitude of what one unit adds to a group, in steps.
std::int64_t magnitude(const Measure& measure);

}  // namespace tacit::sql
