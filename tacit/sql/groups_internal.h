#pragma once

#include <map>
#include <string>
#include <vector>

#include "tacit/data/engine.h"
#include "tacit/sql/plan.h"

namespace tacit::sql {

using GroupKeyValues = std::vector<Cell>;

// All groups that public keys make: every combination, where columns of one public table are taken
// together as they stand there. In the order of the keys.
Result<std::vector<GroupKeyValues>> public_groups(const AggregationPlan& plan, Engine& engine);

// A total order of keys, so that the order of rows in an answer tells nothing.
struct KeyOrder {
  bool operator()(const GroupKeyValues& a, const GroupKeyValues& b) const;
};

// An exact number that an engine answered: an integer, a decimal, or the text of one. In units of
// 10^-scale.
Result<int128> exact_number(const Cell& cell, const Type& type, int scale);

}  // namespace tacit::sql
