#include "tacit/sql/plan_price_internal.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacit/mechanisms/sensitivity.h"
#include "tacit/sql/learned.h"
#include "tacit/sql/plan_measures_internal.h"

namespace tacit::sql {
namespace {

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
      const Sensitivity moved,
      group_sums_sensitivity(
          {on_grid(measure.lower, measure.grid, false), on_grid(measure.upper, measure.grid, true)},
          {.neighbours = neighbours, .groups = plan.groups, .rows = 1}));
  // What is reserved must not depend on what is learnt later.
  TACIT_ASSIGN_OR_RETURN(measure.noise,
                         plan.learns() ? share.bare_noise(moved) : share.noise(moved));
  return {};
}

Result<void> add_learner(CountLearner& learner, Neighbours neighbours, const Rational& epsilon) {
  TACIT_ASSIGN_OR_RETURN(
      const Clamp clamp,
      Clamp::create(0, Rational(static_cast<std::int64_t>(candidates(learner.most).size()) - 1),
                    Grid()));
  TACIT_ASSIGN_OR_RETURN(
      learner.mechanism,
      Quantile::create({*Rational::ratio(9, 10)}, clamp, epsilon,
                       {.contribution = {.neighbours = neighbours}, .confidence = std::nullopt}));
  return {};
}

Result<void> add_learner(RangeLearner& learner, std::uint64_t values, Neighbours neighbours,
                         const Rational& epsilon) {
  // A false bin would cost one answer in a million its use, a stricter one many their range.
  const Rational false_bin = Rational(1) / Rational(1'000'000);
  TACIT_ASSIGN_OR_RETURN(
      learner.mechanism,
      PrivateBounds::create(Grid(), epsilon, {.neighbours = neighbours, .rows = values}, false_bin,
                            learner.digits));
  return {};
}

Result<void> add_learners(AggregationPlan& plan, Neighbours neighbours, const Rational& epsilon) {
  Learners& learners = plan.learners;
  if (learners.rows) TACIT_RETURN_IF_ERROR(add_learner(*learners.rows, neighbours, epsilon));
  if (learners.groups) TACIT_RETURN_IF_ERROR(add_learner(*learners.groups, neighbours, epsilon));
  // A unit gives its least and its greatest value, which are one where it has one row.
  const std::uint64_t values = plan.row_is_unit ? 1 : 2;
  for (RangeLearner& range : learners.ranges) {
    TACIT_RETURN_IF_ERROR(add_learner(range, values, neighbours, epsilon));
  }
  return {};
}

Result<void> add_selection(AggregationPlan& plan, PartitionPrivacy privacy) {
  privacy.groups_per_unit = plan.groups;
  TACIT_ASSIGN_OR_RETURN(plan.selection, TruncatedGeometric::create(privacy));
  if (plan.learners.groups) {
    TACIT_ASSIGN_OR_RETURN(plan.selection, plan.selection->with_bare_cost());
  }
  return {};
}

Result<void> add_mechanism(QuantileMeasure& quantile, const AggregationPlan& plan,
                           Neighbours neighbours, double confidence) {
  TACIT_ASSIGN_OR_RETURN(
      quantile.mechanism,
      GroupQuantiles::create(quantile.shares, quantile.clamp, quantile.epsilon, plan.groups,
                             {.contribution = {.neighbours = neighbours, .rows = plan.rows},
                              .confidence = confidence}));
  if (plan.learners.groups) {
    TACIT_ASSIGN_OR_RETURN(quantile.mechanism, quantile.mechanism->with_bare_cost());
  }
  return {};
}

// It is proved for add/remove; to replace a unit is to do it twice, (2 e, (1 + exp(e)) d) for
// (e, d), so that e and d are what of the budget is left then.
Result<PartitionPrivacy> selection_privacy(const AggregationBudget& budget, Neighbours neighbours) {
  PartitionPrivacy out{
      .epsilon = budget.epsilon, .delta = budget.selection_delta, .neighbours = neighbours};
  if (neighbours == Neighbours::kReplace) {
    out.epsilon = out.epsilon / Rational(2);
    constexpr double kMargin = 1 + 1e-9;
    TACIT_ASSIGN_OR_RETURN(const Rational factor,
                           Rational::exactly((1 + std::exp(out.epsilon.upper())) * kMargin));
    out.delta = out.delta / factor;
  }
  return out;
}

}  // namespace

std::int64_t magnitude(const Measure& measure) { return std::max(-measure.lower, measure.upper); }

Result<void> price(AggregationPlan& plan, const AggregationBudget& budget, Neighbours neighbours,
                   double confidence) {
  TACIT_RETURN_IF_ERROR(add_learners(plan, neighbours, budget.epsilon));
  if (!plan.public_keys) {
    TACIT_ASSIGN_OR_RETURN(const PartitionPrivacy privacy, selection_privacy(budget, neighbours));
    TACIT_RETURN_IF_ERROR(add_selection(plan, privacy));
  }
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

Result<AggregationPlan> settle(const Aggregation& aggregation, const AggregationPlan& reserved,
                               LearnedBounds learned, Neighbours neighbours, double confidence) {
  AggregationPlan out = reserved;
  out.rows = learned.rows.value_or(reserved.rows);
  out.groups = learned.groups.value_or(reserved.groups);
  out.learned = std::move(learned);
  out.measures.clear();
  out.quantiles.clear();
  out.answers.clear();
  TACIT_RETURN_IF_ERROR(plan_answers(aggregation, true, out));
  if (out.selection && out.learners.groups) {
    TACIT_RETURN_IF_ERROR(add_selection(out, reserved.selection->privacy()));
  }
  for (std::size_t j = 0; j < out.measures.size(); ++j) {
    Measure& measure = out.measures[j];
    measure.weight = reserved.measures[j].weight;
    measure.target = reserved.measures[j].target;
    measure.target_share = reserved.measures[j].target_share;
    TACIT_RETURN_IF_ERROR(add_noise(measure, out, neighbours));
  }
  for (std::size_t j = 0; j < out.quantiles.size(); ++j) {
    QuantileMeasure& quantile = out.quantiles[j];
    quantile.weight = reserved.quantiles[j].weight;
    quantile.epsilon = reserved.quantiles[j].epsilon;
    // Of a batch there may be shares that others ask for.
    quantile.shares = reserved.quantiles[j].shares;
    TACIT_RETURN_IF_ERROR(add_mechanism(quantile, out, neighbours, confidence));
  }
  for (std::size_t j = 0; j < out.answers.size(); ++j) {
    out.answers[j].share = reserved.answers[j].share;
  }
  return out;
}

Result<QueryPlan> settle(const QueryPlan& plan, const std::vector<LearnedBounds>& learned) {
  QueryPlan out = plan;
  for (std::size_t i = 0; i < learned.size() && i < out.aggregations.size(); ++i) {
    AggregationPlan& one = out.aggregations[i];
    if (!one.learns() || !learned[i].any()) continue;
    TACIT_ASSIGN_OR_RETURN(one, settle(plan.query.aggregations[i], one, learned[i], plan.neighbours,
                                       plan.options.confidence));
  }
  return out;
}

}  // namespace tacit::sql
