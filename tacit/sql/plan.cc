#include "tacit/sql/plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacit/mechanisms/sensitivity.h"
#include "tacit/sql/learned_rows.h"
#include "tacit/sql/plan_budget_internal.h"
#include "tacit/sql/plan_measures_internal.h"
#include "tacit/sql/plan_weights_internal.h"
#include "tacit/sql/region.h"

namespace tacit::sql {
namespace {

constexpr std::int64_t kMostLearnedRows = std::int64_t{1} << 20;
constexpr std::int64_t kMostSteps = std::int64_t{1} << 62;

std::int64_t magnitude(const Measure& measure) { return std::max(-measure.lower, measure.upper); }

// In noise steps: multiplied for a finer grid, divided (outward) for a coarser one.
std::int64_t on_grid(std::int64_t steps, const Grid& grid, bool up) {
  const Rational scaled = Rational(steps) / grid.step();
  return (up ? scaled.ceil() : scaled.floor()).get_si();
}

Result<void> add_noise(Measure& measure, const AggregationPlan& plan, Neighbours neighbours) {
  TACIT_ASSIGN_OR_RETURN(const NoiseShare share,
                         NoiseShare::part(measure.target, measure.target_share));
  const std::int64_t most = magnitude(measure);
  if (most == 0) {
    return bad_input("this column is 0 for every person, by its declared range", "SELECT",
                     "mend min and max in tacit.toml");
  }
  const auto groups = static_cast<double>(plan.groups);
  const double norm = static_cast<double>(most) * (share.uses_l1() ? groups : std::sqrt(groups)) *
                      (neighbours == Neighbours::kReplace ? 2 : 1);
  TACIT_ASSIGN_OR_RETURN(const Rational sensitivity, Rational::exactly(norm));
  TACIT_ASSIGN_OR_RETURN(measure.grid, share.grid(sensitivity, Rational(most), true));
  TACIT_ASSIGN_OR_RETURN(
      Sensitivity moved,
      group_sums_sensitivity(
          {on_grid(measure.lower, measure.grid, false), on_grid(measure.upper, measure.grid, true)},
          {.neighbours = neighbours, .groups = plan.groups, .rows = 1}));
  // What is reserved must not depend on the number of rows, which is learnt later: a bare epsilon.
  if (plan.learn_rows) moved.one_coordinate = false;
  TACIT_ASSIGN_OR_RETURN(measure.noise, share.noise(moved));
  return {};
}

// The number of rows that all but one unit in twenty stay within.
Result<void> add_learner(AggregationPlan& plan, Neighbours neighbours, const Rational& epsilon) {
  TACIT_ASSIGN_OR_RETURN(const Clamp clamp, Clamp::create(1, kMostLearnedRows, Grid()));
  TACIT_ASSIGN_OR_RETURN(
      plan.rows_learner,
      Quantile::create({*Rational::ratio(19, 20)}, clamp, epsilon,
                       {.contribution = {.neighbours = neighbours}, .confidence = std::nullopt}));
  return {};
}

Result<void> add_selection(AggregationPlan& plan, Neighbours neighbours,
                           const AggregationBudget& budget) {
  TACIT_ASSIGN_OR_RETURN(plan.selection, TruncatedGeometric::create({
                                             .epsilon = budget.epsilon,
                                             .delta = budget.selection_delta,
                                             .groups_per_unit = plan.groups,
                                             .neighbours = neighbours,
                                         }));
  return {};
}

Result<void> add_mechanism(QuantileMeasure& quantile, const AggregationPlan& plan,
                           Neighbours neighbours, double confidence) {
  TACIT_ASSIGN_OR_RETURN(
      quantile.mechanism,
      GroupQuantiles::create(quantile.shares, quantile.clamp, quantile.epsilon, plan.groups,
                             {.contribution = {.neighbours = neighbours, .rows = plan.rows},
                              .confidence = confidence}));
  return {};
}

Result<void> price(AggregationPlan& plan, const AggregationBudget& budget, Neighbours neighbours,
                   double confidence) {
  if (plan.learn_rows) TACIT_RETURN_IF_ERROR(add_learner(plan, neighbours, budget.epsilon));
  if (!plan.public_keys) TACIT_RETURN_IF_ERROR(add_selection(plan, neighbours, budget));
  for (std::size_t j = 0; j < plan.measures.size(); ++j) {
    Measure& measure = plan.measures[j];
    if (budget.gaussian) {
      measure.target = *budget.gaussian;
      measure.target_share = budget.gaussian_shares[j];
    } else {
      measure.target = PureTarget{budget.epsilon * measure.weight};
    }
    TACIT_RETURN_IF_ERROR(add_noise(measure, plan, neighbours));
  }
  for (QuantileMeasure& quantile : plan.quantiles) {
    quantile.epsilon = budget.epsilon * quantile.weight /
                       Rational(static_cast<std::int64_t>(quantile.shares.size()));
    TACIT_RETURN_IF_ERROR(add_mechanism(quantile, plan, neighbours, confidence));
  }
  return {};
}

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

// Half-widths relative to what one unit can add, summed: what the choice of the law minimizes.
Result<double> total_error(const Priced& priced, double confidence) {
  double total = 0;
  for (const std::size_t i : priced.releases) {
    for (const Measure& measure : priced.plans[i].measures) {
      TACIT_ASSIGN_OR_RETURN(const std::int64_t steps, measure.noise->half_width(confidence));
      total += measure.grid.step().approximate() * static_cast<double>(steps) /
               static_cast<double>(magnitude(measure)) * static_cast<double>(measure.uses);
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
  const auto any = [&](const auto& has) {
    return std::ranges::any_of(unpriced.releases,
                               [&](std::size_t i) { return has(unpriced.plans[i]); });
  };
  const bool measures = any([](const AggregationPlan& plan) { return !plan.measures.empty(); });
  const bool learns = any([](const AggregationPlan& plan) { return plan.learn_rows; });
  if (!options.delta || !options.shares.empty() || !measures || learns) {
    return std::move(laplace.plans);
  }
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

bool is_gaussian(const AggregationPlan& plan) {
  return std::ranges::any_of(plan.measures, [](const Measure& measure) {
    return !std::holds_alternative<PureTarget>(measure.target);
  });
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
  if (plan.rows_learner) parts.push_back(plan.rows_learner->cost());
  if (plan.selection) parts.push_back(plan.selection->cost());
  for (const Measure& measure : plan.measures) parts.push_back(measure.noise->cost());
  for (const QuantileMeasure& quantile : plan.quantiles) {
    parts.push_back(quantile.mechanism->cost());
  }
  return Cost::compose(std::move(parts));
}

Result<AggregationPlan> with_rows(AggregationPlan plan, std::uint64_t rows, Neighbours neighbours,
                                  double confidence) {
  plan.rows = rows;
  const auto factor = static_cast<std::int64_t>(rows);
  for (Measure& measure : plan.measures) {
    if (measure.kind == Measure::Kind::kUnits) continue;
    const int128 lower = int128{measure.lower} * factor;
    const int128 upper = int128{measure.upper} * factor;
    if (lower < -kMostSteps || upper > kMostSteps) {
      return world_failed("the learnt number of rows makes sums too large to add exactly", "engine",
                          "give --max-rows");
    }
    measure.lower = static_cast<std::int64_t>(lower);
    measure.upper = static_cast<std::int64_t>(upper);
    TACIT_RETURN_IF_ERROR(add_noise(measure, plan, neighbours));
  }
  for (QuantileMeasure& quantile : plan.quantiles) {
    TACIT_RETURN_IF_ERROR(add_mechanism(quantile, plan, neighbours, confidence));
  }
  return plan;
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
  out.gaussian = std::ranges::any_of(out.aggregations, is_gaussian);
  std::vector<std::optional<Cost>> costs;
  for (const AggregationPlan& one : out.aggregations) {
    TACIT_ASSIGN_OR_RETURN(Cost cost, cost_of(one));
    costs.emplace_back(std::move(cost));
  }
  TACIT_ASSIGN_OR_RETURN(out.cost, cost_of(out.composition, costs, schema.neighbours));
  return out;
}

}  // namespace tacit::sql
