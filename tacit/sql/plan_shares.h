#pragma once

#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/mechanisms/noise.h"
#include "tacit/sql/plan.h"

namespace tacit::sql {

// A plan whose budget the caller divides. A model asks one question after another, each made of
// what the answers before it said; the plan of all of them, made before the first, is what is
// reserved, and each later question must cost what was reserved in its place.

// What each aggregate of one aggregation gets of the whole target, in order.
using AggregateShares = std::vector<Rational>;

// Counts and sums over public keys, one after another: each is released with noise for its share of
// `whole` (the share of a PureTarget's epsilon, of the rho that the others allow). All together
// satisfy `whole`. Of `options` the bounds and the confidence are read; its epsilon and delta
// become those of `whole`.
//
// The noise of an aggregation depends on its own shares, bounds and ranges alone. So one that is
// planned again with other conditions or keys costs the same, as long as these are.
//
// Refuses what plan() refuses, private keys, aggregates that are no single count or sum, and shares
// that are not above 0 or add up to more than 1.
Result<QueryPlan> plan_by_shares(BoundQuery query, const Schema& schema, const PlanOptions& options,
                                 const NoiseTarget& whole,
                                 const std::vector<AggregateShares>& shares);

}  // namespace tacit::sql
