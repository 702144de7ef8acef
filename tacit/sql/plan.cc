#include "tacit/sql/plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacit/sql/learned.h"
#include "tacit/sql/plan_budget_internal.h"
#include "tacit/sql/plan_measures_internal.h"
#include "tacit/sql/plan_price_internal.h"
#include "tacit/sql/plan_weights_internal.h"
#include "tacit/sql/region.h"

namespace tacit::sql {
namespace {

void add_releases(const Composition& tree, std::vector<std::size_t>& out) {
  if (tree.kind == Composition::Kind::kRelease) out.push_back(tree.release);
  for (const Composition& part : tree.parts) add_releases(part, out);
}

// Plans of which those in one tree are priced.
struct Priced {
  std::vector<AggregationPlan> plans;
  std::vector<std::size_t> releases;
};

Result<Priced> price(Priced priced, const Composition& tree, const PlanOptions& options,
                     Neighbours neighbours, Law law) {
  const auto budgets = divide_budget(priced.plans, tree, options, neighbours, law);
  for (const std::size_t i : priced.releases) {
    TACIT_RETURN_IF_ERROR(price(priced.plans[i], budgets[i], neighbours, options.confidence));
  }
  return priced;
}

bool is_gaussian(const Measure& measure) {
  return !std::holds_alternative<PureTarget>(measure.target);
}

// How much wider the noise of a measure is to be expected than the plan has it, whose units have
// one group where their number is yet to be learnt. The number may be anything between one and the
// most; its middle, in ratio, is as good a guess as any.
double expected_reach(const AggregationPlan& plan, const Measure& measure) {
  if (!plan.learners.groups) return 1;
  const double groups = std::sqrt(static_cast<double>(plan.learners.groups->most));
  return is_gaussian(measure) ? std::sqrt(groups) : groups;
}

// Half-widths relative to what one unit can add, summed: what the choice of the law minimizes.
// (Rows and ranges that are yet to be learnt widen noise of both laws alike.)
Result<double> total_error(const Priced& priced, double confidence) {
  double total = 0;
  for (const std::size_t i : priced.releases) {
    const AggregationPlan& plan = priced.plans[i];
    for (const Measure& measure : plan.measures) {
      if (!measure.noise) return not_priced();
      TACIT_ASSIGN_OR_RETURN(const std::int64_t steps, measure.noise->half_width(confidence));
      total += measure.grid.step().approximate() * static_cast<double>(steps) /
               static_cast<double>(magnitude(measure)) * static_cast<double>(measure.uses) *
               expected_reach(plan, measure);
    }
  }
  return total;
}

// Laplace or Gaussian noise for the releases of a tree, whichever has the smaller error.
Result<std::vector<AggregationPlan>> price_for_least_error(std::vector<AggregationPlan> plans,
                                                           const Composition& tree,
                                                           const PlanOptions& options,
                                                           Neighbours neighbours) {
  Priced unpriced{.plans = std::move(plans), .releases = {}};
  add_releases(tree, unpriced.releases);
  TACIT_ASSIGN_OR_RETURN(Priced laplace, price(unpriced, tree, options, neighbours, Law::kLaplace));
  const bool measures = std::ranges::any_of(
      unpriced.releases, [&](std::size_t i) { return !unpriced.plans[i].measures.empty(); });
  if (!options.delta || !options.shares.empty() || !measures) return std::move(laplace.plans);
  // Gaussian noise is not always possible (a tiny epsilon, very many groups); then Laplace stays.
  auto gaussian = price(std::move(unpriced), tree, options, neighbours, Law::kGaussian);
  if (!gaussian) return std::move(laplace.plans);
  TACIT_ASSIGN_OR_RETURN(const double error, total_error(*gaussian, options.confidence));
  TACIT_ASSIGN_OR_RETURN(const double other, total_error(laplace, options.confidence));
  return std::move(error < other ? gaussian->plans : laplace.plans);
}

// Parts that lie side by side share no budget, and each has the noise that is best for it.
Result<std::vector<AggregationPlan>> price_all(std::vector<AggregationPlan> plans,
                                               const Composition& tree, PlanOptions options,
                                               Neighbours neighbours) {
  if (tree.kind != Composition::Kind::kParallel) {
    return price_for_least_error(std::move(plans), tree, options, neighbours);
  }
  if (neighbours == Neighbours::kReplace) {
    options.epsilon = options.epsilon / Rational(2);
    if (options.delta) options.delta = *options.delta / Rational(2);
  }
  for (const Composition& part : tree.parts) {
    TACIT_ASSIGN_OR_RETURN(plans,
                           price_for_least_error(std::move(plans), part, options, neighbours));
  }
  return plans;
}

bool uses_gaussian(const AggregationPlan& plan) {
  return std::ranges::any_of(plan.measures, is_gaussian);
}

Result<void> check_options(const PlanOptions& options) {
  if (options.epsilon.sign() <= 0) {
    return bad_input("epsilon must be above 0", "--epsilon", "give a number such as 0.5");
  }
  if (options.delta && (options.delta->sign() <= 0 || *options.delta >= Rational(1))) {
    return bad_input("delta must lie between 0 and 1", "--delta", "give a number such as 1e-8");
  }
  return {};
}

Result<void> check_answers(const std::vector<AggregationPlan>& plans) {
  const auto wanted = [](const Rational& demand) { return demand.sign() > 0; };
  if (std::ranges::any_of(demands_of(plans), wanted)) return {};
  return bad_input("the query asks for nothing that could be answered", "SELECT",
                   "ask for a count or another aggregate");
}

Result<void> check_keys(const std::vector<AggregationPlan>& plans, const PlanOptions& options) {
  for (const AggregationPlan& plan : plans) {
    if (!plan.public_keys && !options.delta) {
      return bad_input("these group keys are private, and showing them needs a delta", "GROUP BY",
                       "give --delta, or declare the values of the key columns in tacit.toml");
    }
  }
  return {};
}

// Whatever will be learnt, the query can be answered: nothing fails after the charge that could
// have been refused before it.
Result<void> check_widest(const QueryPlan& plan) {
  for (std::size_t i = 0; i < plan.aggregations.size(); ++i) {
    const AggregationPlan& one = plan.aggregations[i];
    if (!one.learns()) continue;
    TACIT_RETURN_IF_ERROR(settle(plan.query.aggregations[i], one, widest(one.learners),
                                 plan.neighbours, plan.options.confidence));
  }
  return {};
}

}  // namespace

Composition composition_of(const BoundQuery& query, const std::vector<AggregationPlan>& plans,
                           Neighbours neighbours) {
  std::vector<Region> regions;
  for (const Aggregation& aggregation : query.aggregations) {
    regions.push_back(Region::of(*aggregation.input));
  }
  std::vector<std::vector<bool>> found(regions.size(), std::vector<bool>(regions.size(), false));
  for (std::size_t a = 0; a < regions.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      found[a][b] = found[b][a] = regions[a].apart_from(regions[b]);
    }
  }
  const auto apart = [&](std::size_t a, std::size_t b) -> bool { return found[a][b]; };
  return compose(apart, demands_of(plans), neighbours);
}

Result<Cost> cost_of(const AggregationPlan& plan) {
  std::vector<Cost> parts;
  const auto add = [&](const auto& mechanism) -> Result<void> {
    if (!mechanism) return not_priced();
    parts.push_back(mechanism->cost());
    return {};
  };
  const Learners& learners = plan.learners;
  if (learners.rows) TACIT_RETURN_IF_ERROR(add(learners.rows->mechanism));
  if (learners.groups) TACIT_RETURN_IF_ERROR(add(learners.groups->mechanism));
  for (const RangeLearner& range : learners.ranges) TACIT_RETURN_IF_ERROR(add(range.mechanism));
  if (plan.selection) TACIT_RETURN_IF_ERROR(add(plan.selection));
  for (const Measure& measure : plan.measures) TACIT_RETURN_IF_ERROR(add(measure.noise));
  for (const QuantileMeasure& quantile : plan.quantiles) {
    TACIT_RETURN_IF_ERROR(add(quantile.mechanism));
  }
  return Cost::compose(std::move(parts));
}

Result<QueryPlan> plan(BoundQuery query, const Schema& schema, const PlanOptions& options) {
  TACIT_RETURN_IF_ERROR(check_options(options));
  std::vector<AggregationPlan> measured;
  for (const Aggregation& aggregation : query.aggregations) {
    TACIT_ASSIGN_OR_RETURN(auto one, plan_measures(aggregation, schema, options));
    measured.push_back(std::move(one));
  }
  TACIT_RETURN_IF_ERROR(weigh(measured, query, options));
  QueryPlan out{.query = std::move(query), .options = options, .neighbours = schema.neighbours};
  out.cost = Cost::nothing(schema.neighbours);
  if (measured.empty()) return out;  // public tables alone
  TACIT_RETURN_IF_ERROR(check_keys(measured, options));
  TACIT_RETURN_IF_ERROR(check_answers(measured));
  out.composition = composition_of(out.query, measured, schema.neighbours);
  TACIT_ASSIGN_OR_RETURN(out.aggregations, price_all(std::move(measured), out.composition, options,
                                                     schema.neighbours));
  TACIT_RETURN_IF_ERROR(check_widest(out));
  out.gaussian = std::ranges::any_of(out.aggregations, uses_gaussian);
  std::vector<std::optional<Cost>> costs;
  for (const AggregationPlan& one : out.aggregations) {
    TACIT_ASSIGN_OR_RETURN(Cost cost, cost_of(one));
    costs.emplace_back(std::move(cost));
  }
  TACIT_ASSIGN_OR_RETURN(out.cost, cost_of(out.composition, costs, schema.neighbours));
  return out;
}

}  // namespace tacit::sql
