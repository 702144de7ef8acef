#pragma once

#include <optional>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/sql/plan.h"

namespace tacit::sql {

// How a budget is divided over releases, so that the errors of all their columns together are
// least: an error is a half-width relative to what one unit can add.

enum class Law : std::uint8_t { kLaplace, kGaussian };

// What one aggregation gets.
struct AggregationBudget {
  // Of what weighs 1: measures under Laplace noise, quantiles, the choice of keys, what is learnt.
  Rational epsilon;
  Rational selection_delta;
  // Of Gaussian measures, and what each gets of it.
  std::optional<ApproximateTarget> gaussian;
  std::vector<Rational> gaussian_shares;
};

// How much each release wants of epsilon: in proportion to this they are served in a sequence.
std::vector<Rational> demands_of(const std::vector<AggregationPlan>& plans);

// Of (epsilon, delta) for the releases of `tree`, by their numbers; the others get nothing.
std::vector<AggregationBudget> divide_budget(const std::vector<AggregationPlan>& plans,
                                             const Composition& tree, const PlanOptions& options,
                                             Neighbours neighbours, Law law);

}  // namespace tacit::sql
