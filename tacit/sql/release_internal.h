#pragma once

#include "tacit/sql/exact_groups_internal.h"
#include "tacit/sql/release.h"

namespace tacit::sql {

// The stages after the engine's: chooses the groups that are shown and adds noise. `engine` is
// asked for public keys alone.
Result<Table> release_groups(const Aggregation& aggregation, const AggregationPlan& plan,
                             double confidence, const ExactGroups& exact, Engine& engine,
                             Permit& permit, SecureStream& stream);

struct ReleasedTable {
  Table table;
  LearnedBounds learned;
};

// One released table: what is learnt first, then the engine's groups, then noise.
Result<ReleasedTable> release_table(const Aggregation& aggregation, const AggregationPlan& plan,
                                    Neighbours neighbours, double confidence, Engine& engine,
                                    Permit&& permit, SecureStream& stream);

}  // namespace tacit::sql
