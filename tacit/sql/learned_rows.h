#pragma once

#include <cstdint>

#include "tacit/data/engine.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/secure_stream.h"
#include "tacit/sql/plan.h"

namespace tacit::sql {

// A bound on a unit's rows that is learnt from the data, privately.
//
// Each unit gives one number: the most rows that it has in any group. Of these the quantile 19/20
// is drawn (mechanisms/quantile), which one unit moves as one value. The rest of the query is then
// released with that bound. Its reserved cost does not depend on the bound: Laplace noise of scale
// (groups x rows x range) / epsilon is epsilon-DP for every number of rows, and so is a draw of a
// quantile, so by adaptive composition the whole costs what was reserved before anything was read.

// The statement whose columns are a number of rows and how many units have it as their most.
std::string rows_statement(const Aggregation& aggregation, const Dialect& dialect);

// Draws the bound, consuming the learner's part of the permit.
Result<std::uint64_t> learn_rows(const Aggregation& aggregation, const AggregationPlan& plan,
                                 Engine& engine, Permit& permit, SecureStream& stream);

// The plan with that many rows: the same cost, other bounds and scales.
Result<AggregationPlan> with_rows(AggregationPlan plan, std::uint64_t rows, Neighbours neighbours,
                                  double confidence);

}  // namespace tacit::sql
