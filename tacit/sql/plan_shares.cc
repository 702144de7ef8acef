#include "tacit/sql/plan_shares.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "tacit/sql/plan_measures_internal.h"
#include "tacit/sql/plan_price_internal.h"

namespace tacit::sql {
namespace {

Result<void> check_shares(const std::vector<AggregateShares>& shares, const BoundQuery& query) {
  Rational all;
  if (shares.size() != query.aggregations.size()) {
    return bad_input("every aggregation needs its shares", "shares");
  }
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i].size() != query.aggregations[i].aggregates.size()) {
      return bad_input("every aggregate needs a share", "shares");
    }
    for (const Rational& share : shares[i]) {
      if (share.sign() <= 0) return bad_input("a share must be above 0", "shares");
      all = all + share;
    }
  }
  if (all > Rational(1)) return bad_input("the shares add up to more than the whole", "shares");
  return {};
}

Result<void> check_measures(const AggregationPlan& plan) {
  if (!plan.public_keys) {
    return bad_input("these groups are not known beforehand", "GROUP BY",
                     "declare the values of the column in tacit.toml, or its min and max");
  }
  if (plan.learns() || plan.measures.size() != plan.answers.size()) {
    return bad_input("only different counts and sums have shares of their own", "shares");
  }
  return {};
}

// The budget in which each measure, and with it its aggregate, has its share.
AggregationBudget budget_of(const NoiseTarget& whole, const AggregateShares& shares,
                            AggregationPlan& plan) {
  AggregationBudget out;
  if (const auto* pure = std::get_if<PureTarget>(&whole)) {
    out.epsilon = pure->epsilon;
    for (std::size_t j = 0; j < shares.size(); ++j) plan.measures[j].weight = shares[j];
  } else {
    out.gaussian = std::get<ApproximateTarget>(whole);
    out.gaussian_shares = shares;
  }
  return out;
}

PlanOptions with_target(PlanOptions options, const NoiseTarget& whole) {
  options.shares.clear();
  options.learn = {};
  if (const auto* pure = std::get_if<PureTarget>(&whole)) {
    options.epsilon = pure->epsilon;
    options.delta.reset();
  } else {
    const auto& approximate = std::get<ApproximateTarget>(whole);
    options.epsilon = approximate.epsilon;
    options.delta = approximate.delta;
  }
  return options;
}

Composition in_sequence(std::size_t releases) {
  Composition out;
  for (std::size_t i = 0; i < releases; ++i) {
    out.parts.push_back({.kind = Composition::Kind::kRelease, .release = i, .parts = {}});
  }
  return out;
}

}  // namespace

Result<QueryPlan> plan_by_shares(BoundQuery query, const Schema& schema, const PlanOptions& options,
                                 const NoiseTarget& whole,
                                 const std::vector<AggregateShares>& shares) {
  if (std::holds_alternative<ZcdpTarget>(whole)) {
    return bad_input("a plan states an epsilon, and a delta where it has one", "target");
  }
  TACIT_RETURN_IF_ERROR(check_shares(shares, query));
  QueryPlan out{.query = std::move(query),
                .options = with_target(options, whole),
                .neighbours = schema.neighbours,
                .gaussian = std::holds_alternative<ApproximateTarget>(whole),
                .composition = in_sequence(shares.size())};
  std::vector<std::optional<Cost>> costs;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    TACIT_ASSIGN_OR_RETURN(AggregationPlan one,
                           plan_measures(out.query.aggregations[i], schema, out.options));
    TACIT_RETURN_IF_ERROR(check_measures(one));
    const AggregationBudget budget = budget_of(whole, shares[i], one);
    TACIT_RETURN_IF_ERROR(price(one, budget, schema.neighbours, out.options.confidence));
    TACIT_ASSIGN_OR_RETURN(Cost cost, cost_of(one));
    costs.emplace_back(std::move(cost));
    out.aggregations.push_back(std::move(one));
  }
  TACIT_ASSIGN_OR_RETURN(out.cost, cost_of(out.composition, costs, schema.neighbours));
  return out;
}

}  // namespace tacit::sql
