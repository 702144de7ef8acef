#pragma once

#include <vector>

#include "tacit/sql/plan_facts.h"

namespace tacit::sql {

std::vector<LearnedFacts> learned_facts(const AggregationPlan& plan);

// How wide the columns of a plan that learns would be, for some of the bounds it may learn.
Result<std::vector<ExampleFacts>> example_facts(const Aggregation& aggregation,
                                                const AggregationPlan& plan, Neighbours neighbours,
                                                double confidence);

}  // namespace tacit::sql
