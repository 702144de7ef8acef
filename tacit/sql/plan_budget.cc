#include <algorithm>
#include <cmath>

#include "tacit/sql/plan_budget_internal.h"

namespace tacit::sql {
namespace {

Rational rounded(double value) { return Rational(std::llround(1000 * value)) / Rational(1000); }

// What an aggregation is made of, by weight.
struct Weights {
  Rational measures;
  Rational rest;  // quantiles, the choice of keys, what is learnt first
};

Weights weights_of(const AggregationPlan& plan) {
  Weights out;
  for (const Measure& measure : plan.measures) out.measures = out.measures + measure.weight;
  for (const QuantileMeasure& quantile : plan.quantiles) out.rest = out.rest + quantile.weight;
  out.rest = out.rest + Rational(static_cast<std::int64_t>(plan.learners.size()));
  if (!plan.public_keys) out.rest = out.rest + Rational(1);
  return out;
}

// Laplace noise for a unit in many groups is as many times wider.
Rational reach(const AggregationPlan& plan) {
  return rounded(std::sqrt(static_cast<double>(plan.groups)));
}

// Gaussian noise only as their root. An error c wants c^(2/3) of rho, and weights are roots of c.
Rational gaussian_demand(const Measure& measure, const AggregationPlan& plan) {
  return rounded(std::pow(measure.weight.approximate(), 4.0 / 3) *
                 std::cbrt(static_cast<double>(plan.groups)));
}

template <class Demand>
std::vector<Rational> for_all(const std::vector<AggregationPlan>& plans, const Demand& demand) {
  std::vector<Rational> out;
  for (const AggregationPlan& plan : plans) out.push_back(demand(plan));
  return out;
}

Rational sum(const std::vector<Rational>& values) {
  Rational out;
  for (const Rational& value : values) out = out + value;
  return out;
}

// The most selections of keys that one unit takes part in.
std::int64_t selections(const Composition& tree, const std::vector<AggregationPlan>& plans,
                        Neighbours neighbours) {
  if (tree.kind == Composition::Kind::kRelease) return plans[tree.release].public_keys ? 0 : 1;
  std::int64_t all = 0;
  std::int64_t most = 0;
  for (const Composition& part : tree.parts) {
    const std::int64_t count = selections(part, plans, neighbours);
    all += count;
    most = std::max(most, count);
  }
  if (tree.kind == Composition::Kind::kSequence) return all;
  return neighbours == Neighbours::kReplace ? std::min(all, 2 * most) : most;
}

// Epsilon, by weight, for what `part` of the weights counts. Shares that were named are weights as
// they stand.
template <class Part>
void divide_epsilon(const std::vector<AggregationPlan>& plans, const Composition& tree,
                    const Rational& epsilon, bool named, Neighbours neighbours, const Part& part,
                    std::vector<AggregationBudget>& out) {
  const auto demands = for_all(plans, [&](const AggregationPlan& plan) {
    return named ? part(plan) : reach(plan) * part(plan);
  });
  const auto shares = divide(tree, demands, Currency::kEpsilon, neighbours);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (shares[i].sign() > 0) out[i].epsilon = epsilon * shares[i] / part(plans[i]);
  }
}

void divide_rho(const std::vector<AggregationPlan>& plans, const Composition& tree,
                const ApproximateTarget& target, Neighbours neighbours,
                std::vector<AggregationBudget>& out) {
  std::vector<std::vector<Rational>> wanted;
  for (const AggregationPlan& plan : plans) {
    wanted.emplace_back();
    for (const Measure& measure : plan.measures) {
      wanted.back().push_back(gaussian_demand(measure, plan));
    }
  }
  std::vector<Rational> demands;
  for (const auto& each : wanted) demands.push_back(sum(each));
  const auto shares = divide(tree, demands, Currency::kRho, neighbours);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (shares[i].sign() == 0) continue;
    out[i].gaussian = target;
    for (const Rational& one : wanted[i]) {
      out[i].gaussian_shares.push_back(shares[i] * one / demands[i]);
    }
  }
}

Rational all_weights(const AggregationPlan& plan) {
  const Weights weights = weights_of(plan);
  return weights.measures + weights.rest;
}
Rational measure_weights(const AggregationPlan& plan) { return weights_of(plan).measures; }
Rational other_weights(const AggregationPlan& plan) { return weights_of(plan).rest; }

}  // namespace

std::vector<Rational> demands_of(const std::vector<AggregationPlan>& plans) {
  return for_all(plans,
                 [](const AggregationPlan& plan) { return reach(plan) * all_weights(plan); });
}

std::vector<AggregationBudget> divide_budget(const std::vector<AggregationPlan>& plans,
                                             const Composition& tree, const PlanOptions& options,
                                             Neighbours neighbours, Law law) {
  std::vector<AggregationBudget> out(plans.size());
  const std::int64_t selected = selections(tree, plans, neighbours);
  Rational delta = options.delta.value_or(Rational(0));
  if (law == Law::kGaussian && selected > 0) delta = delta / Rational(2);
  if (selected > 0) {
    for (AggregationBudget& each : out) each.selection_delta = delta / Rational(selected);
  }
  if (law == Law::kLaplace) {
    const bool named = !options.shares.empty();
    divide_epsilon(plans, tree, options.epsilon, named, neighbours, all_weights, out);
    return out;
  }
  const auto wanted = [&](const auto& part) {
    const auto demands =
        for_all(plans, [&](const AggregationPlan& plan) { return reach(plan) * part(plan); });
    return demand(tree, demands, Currency::kEpsilon, neighbours);
  };
  const Rational measures = wanted(measure_weights);
  const Rational rest = wanted(other_weights);
  const Rational all = measures + rest;
  divide_epsilon(plans, tree, options.epsilon * rest / all, false, neighbours, other_weights, out);
  divide_rho(plans, tree, {options.epsilon * measures / all, delta}, neighbours, out);
  return out;
}

}  // namespace tacit::sql
