#include <gtest/gtest.h>

#include <cmath>

#include "tacit/sql/plan_budget_internal.h"

namespace tacit::sql {
namespace {

// So many measures of a unit in so many groups.
AggregationPlan counts(std::size_t measures, std::uint64_t groups = 1) {
  AggregationPlan out;
  out.groups = groups;
  for (std::size_t j = 0; j < measures; ++j) out.measures.push_back({.upper = 1, .uses = 1});
  return out;
}

Composition one_by_one(const std::vector<AggregationPlan>& plans) {
  return compose([](std::size_t, std::size_t) { return false; }, demands_of(plans),
                 Neighbours::kAddRemove);
}
Composition side_by_side(const std::vector<AggregationPlan>& plans) {
  return compose([](std::size_t, std::size_t) { return true; }, demands_of(plans),
                 Neighbours::kAddRemove);
}

const PlanOptions kOne{.epsilon = Rational(1), .delta = *Rational::parse("1e-6")};

std::vector<AggregationBudget> divided(const std::vector<AggregationPlan>& plans,
                                       const Composition& tree, Law law) {
  return divide_budget(plans, tree, kOne, Neighbours::kAddRemove, law);
}

TEST(PlanBudget, GivesMoreToWhatTouchesMoreGroups) {
  const std::vector<AggregationPlan> plans{counts(1), counts(1, 16)};
  const auto budgets = divided(plans, one_by_one(plans), Law::kLaplace);
  EXPECT_EQ(budgets[0].epsilon, *Rational::ratio(1, 5));
  EXPECT_EQ(budgets[1].epsilon, *Rational::ratio(4, 5));
}

TEST(PlanBudget, TakesSharesThatWereNamedAsTheyStand) {
  const std::vector<AggregationPlan> plans{counts(1), counts(1, 16)};
  PlanOptions named = kOne;
  named.shares = {{"n", Rational(1)}};
  const auto budgets =
      divide_budget(plans, one_by_one(plans), named, Neighbours::kAddRemove, Law::kLaplace);
  EXPECT_EQ(budgets[0].epsilon, *Rational::ratio(1, 2));
}

TEST(PlanBudget, DividesOneAggregationByWeightAlone) {
  std::vector<AggregationPlan> plans{counts(3, 16)};
  plans[0].public_keys = false;
  const auto budgets = divided(plans, one_by_one(plans), Law::kLaplace);
  EXPECT_EQ(budgets[0].epsilon, *Rational::ratio(1, 4));
  EXPECT_EQ(budgets[0].selection_delta, *kOne.delta);
}

TEST(PlanBudget, AddsNoMoreThanTheWholeForOneUnit) {
  std::vector<AggregationPlan> plans{counts(1), counts(2, 3), counts(4)};
  plans[1].public_keys = plans[2].public_keys = false;
  const auto budgets = divided(plans, one_by_one(plans), Law::kGaussian);
  Rational rho;
  Rational delta;
  Rational epsilon;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    for (const Rational& share : budgets[i].gaussian_shares) rho = rho + share;
    if (plans[i].public_keys) continue;
    delta = delta + budgets[i].selection_delta;
    epsilon = epsilon + budgets[i].epsilon;
  }
  EXPECT_EQ(rho, Rational(1));
  EXPECT_EQ(epsilon + budgets[0].gaussian->epsilon, Rational(1));
  EXPECT_EQ(delta + budgets[0].gaussian->delta, *kOne.delta);
}

TEST(PlanBudget, IsWholeForEveryPartOfAParallel) {
  std::vector<AggregationPlan> plans{counts(1), counts(1, 9)};
  plans[0].public_keys = plans[1].public_keys = false;
  for (const AggregationBudget& budget : divided(plans, side_by_side(plans), Law::kLaplace)) {
    EXPECT_EQ(budget.epsilon, *Rational::ratio(1, 2));
    EXPECT_EQ(budget.selection_delta, *kOne.delta);
  }
  for (const AggregationBudget& budget : divided(plans, side_by_side(plans), Law::kGaussian)) {
    EXPECT_EQ(budget.gaussian_shares, std::vector<Rational>{Rational(1)});
  }
}

TEST(PlanBudget, DividesRhoForTheLeastError) {
  // Errors groups^(1/2) / rho^(1/2): none of the other splits is better.
  const std::vector<AggregationPlan> plans{counts(1), counts(1, 64)};
  const auto budgets = divided(plans, one_by_one(plans), Law::kGaussian);
  const auto error = [](double share) { return 1 / std::sqrt(share) + 8 / std::sqrt(1 - share); };
  const double least = error(budgets[0].gaussian_shares[0].approximate());
  for (double share = 0.01; share < 1; share += 0.01) EXPECT_LE(least, error(share) + 1e-9);
}

}  // namespace
}  // namespace tacit::sql
