#pragma once

#include <cstddef>
#include <vector>

#include "tacit/data/table.h"
#include "tacit/sql/plan.h"

namespace tacit::sql {

// Some aggregates of an aggregation, by their numbers, in that order: what is asked, the plan of
// what they stand on with the noise as it is, and their columns of a released table.
Aggregation part_of(const Aggregation& aggregation, const std::vector<std::size_t>& aggregates);
AggregationPlan part_of(const AggregationPlan& plan, const std::vector<std::size_t>& aggregates);
Table part_of(const Table& released, std::size_t keys, const std::vector<std::size_t>& aggregates);

}  // namespace tacit::sql
