#include "tacit/privacy/pld_plan_internal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacit/privacy/pld_single_internal.h"

namespace tacit::pld {
namespace {

const std::vector<Term> kTerms = {{gaussian_pair(20), 100}};
const Pair kWhole = gaussian_pair(2);

double width(const Planner& planner, const Effort& effort, double delta) {
  const Composition composition = planner.compose(effort);
  return composition.epsilon_upper(delta) - composition.epsilon_lower(delta);
}

TEST(PldPlan, FinerEffortsAreSharperAndAllAreTrue) {
  constexpr double kDelta = 1e-6;
  const Planner planner(kTerms, Question::epsilon_at(kDelta));
  for (const double fineness : {-3.0, 0.0, 1.0}) {
    const Composition composition = planner.compose({.fineness = fineness});
    EXPECT_LE(composition.epsilon_lower(kDelta), single_epsilon_upper(*kWhole, kDelta));
    EXPECT_GE(composition.epsilon_upper(kDelta), single_epsilon_lower(*kWhole, kDelta));
  }
  EXPECT_LT(width(planner, {.fineness = 0}, kDelta), width(planner, {.fineness = -3}, kDelta) / 8);
}

// The window of the first choice holds the epsilon asked for; a window from zero holds all.
TEST(PldPlan, AWindowFromZeroHoldsEveryEpsilon) {
  const Planner planner(kTerms, Question::epsilon_at(1e-9));
  EXPECT_GT(planner.compose({}).upper.first_loss, 1);
  const Composition all = planner.compose({.least = 0});
  EXPECT_LE(all.upper.first_loss, 0);
  EXPECT_NEAR(all.delta_upper(0.1), single_delta_upper(*kWhole, 0.1), 1e-3);
}

TEST(PldPlan, AnswersDeltasAtTheEpsilonAsked) {
  for (const double epsilon : {0.0, 0.5, 2.0, 4.0}) {
    const Composition composition = Planner(kTerms, Question::delta_at(epsilon)).compose({});
    const double truth = single_delta_upper(*kWhole, epsilon);
    EXPECT_NEAR(composition.delta_upper(epsilon), truth, 1e-4 * truth) << epsilon;
    EXPECT_NEAR(composition.delta_lower(epsilon), truth, 1e-4 * truth) << epsilon;
  }
}

// Two losses are all there is: the lattice meets them, and nothing is rounded.
TEST(PldPlan, LatticesMeetTheAtoms) {
  const std::vector<Term> terms = {{approximate_pair(0.25, 0), 8}};
  const Composition composition = Planner(terms, Question::epsilon_at(1e-4)).compose({});
  const double steps = 0.5 / composition.upper.step;
  EXPECT_NEAR(steps, std::round(steps), 1e-9);
  EXPECT_LT(width(Planner(terms, Question::epsilon_at(1e-4)), {}, 1e-4), 1e-7);
}

}  // namespace
}  // namespace tacit::pld
