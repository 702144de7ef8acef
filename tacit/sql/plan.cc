#include "tacit/sql/plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacit/mechanisms/sensitivity.h"
#include "tacit/sql/learned_rows.h"
#include "tacit/sql/plan_measures_internal.h"
#include "tacit/sql/plan_weights_internal.h"

namespace tacit::sql {
namespace {

constexpr std::int64_t kMostLearnedRows = std::int64_t{1} << 20;
constexpr std::int64_t kMostSteps = std::int64_t{1} << 62;

struct Slots {
  Rational measures;    // the weight of all measures
  Rational quantiles;   // of all quantiles
  Rational selections;  // of all selections of keys
  Rational learners;    // and of all that is learnt first
  std::uint64_t selected = 0;
  std::uint64_t measured = 0;
};

Slots slots_of(const std::vector<AggregationPlan>& plans) {
  Slots out;
  for (const AggregationPlan& plan : plans) {
    for (const Measure& measure : plan.measures) {
      out.measures = out.measures + measure.weight;
      ++out.measured;
    }
    for (const QuantileMeasure& quantile : plan.quantiles) {
      out.quantiles = out.quantiles + quantile.weight;
    }
    if (plan.learn_rows) out.learners = out.learners + Rational(1);
    if (!plan.public_keys) {
      out.selections = out.selections + Rational(1);
      ++out.selected;
    }
  }
  return out;
}

std::int64_t magnitude(const Measure& measure) { return std::max(-measure.lower, measure.upper); }

// In noise steps: multiplied for a finer grid, divided (outward) for a coarser one.
std::int64_t on_grid(std::int64_t steps, const Grid& grid, bool up) {
  const Rational scaled = Rational(steps) / grid.step();
  return (up ? scaled.ceil() : scaled.floor()).get_si();
}

Result<void> add_noise(Measure& measure, const AggregationPlan& plan, Neighbours neighbours,
                       std::uint64_t parts) {
  TACIT_ASSIGN_OR_RETURN(const NoiseShare share, NoiseShare::create(measure.target, parts));
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

// How the query's budget is divided.
struct Budget {
  Rational measures;                       // epsilon of all measures
  std::optional<Rational> measures_delta;  // Gaussian noise where there is one
  Rational quantiles;
  Rational learner;  // of each
  Rational selections;
  Rational selections_delta;
};

Result<Budget> divide(const PlanOptions& options, const Slots& slots, bool gaussian) {
  Budget out;
  const Rational all = slots.measures + slots.quantiles + slots.selections + slots.learners;
  if (all.sign() == 0) {
    return bad_input("the query asks for nothing that could be answered", "SELECT",
                     "ask for a count or another aggregate");
  }
  out.measures = options.epsilon * slots.measures / all;
  out.quantiles = options.epsilon * slots.quantiles / all;
  out.learner = options.epsilon / all;
  out.selections = options.epsilon * slots.selections / all;
  if (options.delta) {
    const bool both = gaussian && slots.selected > 0;
    const Rational share = both ? *options.delta / Rational(2) : *options.delta;
    if (gaussian) out.measures_delta = share;
    out.selections_delta = share;
  }
  return out;
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

Result<void> add_selection(AggregationPlan& plan, Neighbours neighbours, const Budget& budget,
                           std::uint64_t selected) {
  const Rational count(static_cast<std::int64_t>(selected));
  TACIT_ASSIGN_OR_RETURN(plan.selection, TruncatedGeometric::create({
                                             .epsilon = budget.selections / count,
                                             .delta = budget.selections_delta / count,
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

// What a measure's own noise is to satisfy. Gaussian measures are equal parts of one target.
NoiseTarget target_of(const Measure& measure, const Budget& budget, const Slots& slots) {
  if (budget.measures_delta) return ApproximateTarget{budget.measures, *budget.measures_delta};
  return PureTarget{budget.measures * measure.weight / slots.measures};
}

Result<std::vector<AggregationPlan>> price(std::vector<AggregationPlan> plans,
                                           const PlanOptions& options, Neighbours neighbours,
                                           bool gaussian) {
  const Slots slots = slots_of(plans);
  TACIT_ASSIGN_OR_RETURN(const Budget budget, divide(options, slots, gaussian));
  for (AggregationPlan& plan : plans) {
    if (plan.learn_rows) TACIT_RETURN_IF_ERROR(add_learner(plan, neighbours, budget.learner));
    if (!plan.public_keys) {
      TACIT_RETURN_IF_ERROR(add_selection(plan, neighbours, budget, slots.selected));
    }
    for (Measure& measure : plan.measures) {
      measure.target = target_of(measure, budget, slots);
      TACIT_RETURN_IF_ERROR(add_noise(measure, plan, neighbours, gaussian ? slots.measured : 1));
    }
    for (QuantileMeasure& quantile : plan.quantiles) {
      const Rational share = budget.quantiles * quantile.weight / slots.quantiles;
      quantile.epsilon = share / Rational(static_cast<std::int64_t>(quantile.shares.size()));
      TACIT_RETURN_IF_ERROR(add_mechanism(quantile, plan, neighbours, options.confidence));
    }
  }
  return plans;
}

// Half-widths relative to what one unit can add, summed: what the choice of the law minimizes.
Result<double> total_error(const std::vector<AggregationPlan>& plans, double confidence) {
  double total = 0;
  for (const AggregationPlan& plan : plans) {
    for (const Measure& measure : plan.measures) {
      TACIT_ASSIGN_OR_RETURN(const std::int64_t steps, measure.noise->half_width(confidence));
      total += measure.grid.step().approximate() * static_cast<double>(steps) /
               static_cast<double>(magnitude(measure)) *
               std::sqrt(static_cast<double>(measure.uses));
    }
  }
  return total;
}

Result<Cost> cost_of(const std::vector<AggregationPlan>& plans) {
  std::vector<Cost> parts;
  for (const AggregationPlan& plan : plans) {
    if (plan.rows_learner) parts.push_back(plan.rows_learner->cost());
    if (plan.selection) parts.push_back(plan.selection->cost());
    for (const Measure& measure : plan.measures) parts.push_back(measure.noise->cost());
    for (const QuantileMeasure& quantile : plan.quantiles) {
      parts.push_back(quantile.mechanism->cost());
    }
  }
  return Cost::compose(std::move(parts));
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
    TACIT_RETURN_IF_ERROR(add_noise(measure, plan, neighbours, 1));
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
  TACIT_ASSIGN_OR_RETURN(out.aggregations, price(measured, options, schema.neighbours, false));
  const bool learns = std::ranges::any_of(measured, &AggregationPlan::learn_rows);
  if (options.delta && options.shares.empty() && slots_of(measured).measured > 0 && !learns) {
    TACIT_ASSIGN_OR_RETURN(const double laplace, total_error(out.aggregations, options.confidence));
    // Gaussian noise is not always possible (a tiny epsilon, very many groups); then Laplace stays.
    if (auto gaussian = price(measured, options, schema.neighbours, true)) {
      TACIT_ASSIGN_OR_RETURN(const double error, total_error(*gaussian, options.confidence));
      if (error < laplace) {
        out.aggregations = *std::move(gaussian);
        out.gaussian = true;
      }
    }
  }
  TACIT_ASSIGN_OR_RETURN(out.cost, cost_of(out.aggregations));
  return out;
}

}  // namespace tacit::sql
