#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "tacit/data/engine.h"
#include "tacit/sql/groups_internal.h"
#include "tacit/sql/plan.h"

namespace tacit::sql {

// What the engine said, by group: exact, before noise. Only release.cc may hold one.
struct ExactGroup {
  std::uint64_t units = 0;
  std::vector<int128> totals;
  std::vector<std::vector<GridCount>> counts;  // one list for each quantile measure
};
using ExactGroups = std::map<GroupKeyValues, ExactGroup, KeyOrder>;

// Runs the statements of an aggregation. `secret` keys the choice of what is kept of a unit.
Result<ExactGroups> exact_groups(const Aggregation& aggregation, const AggregationPlan& plan,
                                 Engine& engine, std::string_view secret);

}  // namespace tacit::sql
