#include "tacit/learn/questions.h"

#include <utility>

#include "tacit/sql/bind.h"

namespace tacit::learn {
namespace {

Result<sql::Aggregation> bound_question(const Question& question, const Schema& schema,
                                        Engine& parser) {
  TACIT_ASSIGN_OR_RETURN(sql::BoundQuery bound,
                         sql::bind(sql::QueryText(question.sql), schema, parser));
  if (bound.aggregations.size() == 1) return std::move(bound.aggregations.front());
  return bad_input("a model is made from private rows", "--from",
                   "name a table whose rows belong to somebody");
}

sql::PlanOptions plan_options(const Allowance& allowance) {
  return {.epsilon = allowance.epsilon,
          .delta = allowance.delta,
          .bounds = allowance.bounds,
          .confidence = allowance.confidence,
          .shares = {},
          .learn = {}};
}

NoiseTarget target_of(const sql::QueryPlan& plan) {
  if (!plan.gaussian) return PureTarget{plan.options.epsilon};
  return ApproximateTarget{.epsilon = plan.options.epsilon,
                           .delta = plan.options.delta.value_or(Rational(0))};
}

// Half-widths relative to what one unit can add, summed.
Result<double> relative_error(const sql::QueryPlan& plan) {
  double total = 0;
  for (const sql::AggregationPlan& one : plan.aggregations) {
    for (std::size_t j = 0; j < one.answers.size(); ++j) {
      const sql::Measure& measure = one.measures[j];
      TACIT_ASSIGN_OR_RETURN(const double width, half_width(one, j, plan.options.confidence));
      total += width / (measure.step.approximate() *
                        static_cast<double>(std::max(-measure.lower, measure.upper)));
    }
  }
  return total;
}

Result<void> check_allowance(const Allowance& allowance) {
  if (allowance.epsilon.sign() <= 0) {
    return bad_input("epsilon must be above 0", "--epsilon", "give a number such as 0.5");
  }
  if (allowance.delta && (allowance.delta->sign() <= 0 || *allowance.delta >= Rational(1))) {
    return bad_input("delta must lie between 0 and 1", "--delta", "give a number such as 1e-8");
  }
  return {};
}

}  // namespace

Result<double> half_width(const sql::AggregationPlan& plan, std::size_t aggregate,
                          double confidence) {
  const sql::Measure& measure = plan.measures[aggregate];
  if (!measure.noise) return sql::not_priced();
  TACIT_ASSIGN_OR_RETURN(const std::int64_t steps, measure.noise->half_width(confidence));
  return measure.grid.to_real_above(steps) * measure.step.approximate();
}

Result<sql::QueryPlan> plan_questions(const std::vector<Question>& questions, const Schema& schema,
                                      const Allowance& allowance, Engine& parser) {
  TACIT_RETURN_IF_ERROR(check_allowance(allowance));
  sql::BoundQuery all;
  std::vector<sql::AggregateShares> shares;
  for (const Question& question : questions) {
    TACIT_ASSIGN_OR_RETURN(sql::Aggregation bound, bound_question(question, schema, parser));
    all.aggregations.push_back(std::move(bound));
    shares.push_back(question.shares);
  }
  const sql::PlanOptions options = plan_options(allowance);
  TACIT_ASSIGN_OR_RETURN(
      sql::QueryPlan laplace,
      sql::plan_by_shares(all, schema, options, PureTarget{allowance.epsilon}, shares));
  if (!allowance.delta) return laplace;
  const ApproximateTarget target{.epsilon = allowance.epsilon, .delta = *allowance.delta};
  // Gaussian noise is not always possible (a tiny epsilon); then Laplace stays.
  auto gaussian = sql::plan_by_shares(std::move(all), schema, options, target, shares);
  if (!gaussian) return laplace;
  TACIT_ASSIGN_OR_RETURN(const double error, relative_error(*gaussian));
  TACIT_ASSIGN_OR_RETURN(const double other, relative_error(laplace));
  return error < other ? *std::move(gaussian) : std::move(laplace);
}

Result<sql::QueryPlan> plan_again(const Question& question, const Schema& schema,
                                  const sql::QueryPlan& whole, Engine& parser) {
  TACIT_ASSIGN_OR_RETURN(sql::Aggregation bound, bound_question(question, schema, parser));
  sql::BoundQuery one;
  one.aggregations.push_back(std::move(bound));
  return sql::plan_by_shares(std::move(one), schema, whole.options, target_of(whole),
                             {question.shares});
}

}  // namespace tacit::learn
