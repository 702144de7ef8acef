#include "tacit/learn/pate/pate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacit/mechanisms/testing/binomial_bounds.h"
#include "tacit/mechanisms/testing/verdict.h"
#include "tacit/privacy/accountant.h"
#include "tacit/privacy/testing/permit_for_tests.h"
#include "tacit/privacy/zcdp.h"

namespace tacit::learn {
namespace {

using Counts = std::vector<std::uint64_t>;

PatePlan gaussian_plan(std::uint64_t questions) {
  PatePlan plan;
  plan.classes = 2;
  plan.scale = 40;
  plan.questions = questions;
  plan.answers = questions;
  return plan;
}

PatePlan laplace_plan(std::uint64_t questions) {
  PatePlan plan = gaussian_plan(questions);
  plan.noise = VoteNoise::kLaplace;
  return plan;
}

PatePlan tested_plan(std::uint64_t answers, ConfidenceTest test) {
  PatePlan plan = gaussian_plan(answers);
  plan.test = std::move(test);
  return plan;
}

VotingRun run_of(const PatePlan& plan) {
  const Votes votes = Votes::create(plan).value();
  return votes.begin(PermitForTests::mint(votes.cost())).value();
}

TEST(Votes, CostWhatOneTeacherCanMove) {
  EXPECT_EQ(zcdp_bound(Votes::create(gaussian_plan(300))->cost())->rho, Rational(300) / (40 * 40));
  PatePlan plan = tested_plan(300, {.threshold = 200, .deviation = 150});
  plan.questions = 1000;
  EXPECT_EQ(zcdp_bound(Votes::create(plan)->cost())->rho,
            Rational(300) / (40 * 40) + Rational(1000) / (2 * 150 * 150));
  EXPECT_NEAR(prove_epsilon(Accountant::kPure, Votes::create(laplace_plan(7))->cost(), 0)->upper,
              0.35, 1e-12);
}

constexpr std::uint64_t kTrials = 100'000;

// How many of the trials are won by a class that is 60 votes ahead.
std::uint64_t wins(PatePlan plan, const Rational& scale) {
  plan.scale = scale;
  VotingRun run = run_of(plan);
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < kTrials; ++i) {
    if (run.ask(Counts{100, 40}).value() == 0) ++count;
  }
  return count;
}

// Against the law of the noise; noise a tenth smaller is noticed.
TEST(Votes, AreWonAsTheNoiseSays) {
  const PatePlan plan = gaussian_plan(kTrials);
  const double expected = 1 - std::erfc(60.0 / (2 * 40)) / 2;
  EXPECT_FALSE(testing::contradicts(wins(plan, 40), kTrials, expected, testing::kFalseAlarm));
  EXPECT_TRUE(testing::contradicts(wins(plan, 36), kTrials, expected, 1e-18));
}

TEST(Votes, WithLaplaceNoiseAreWonAsItSays) {
  const PatePlan plan = laplace_plan(kTrials);
  // The difference of two draws lies beyond x scales with probability e^-x (2 + x) / 4.
  constexpr double kAhead = 60.0 / 40;
  const double expected = 1 - std::exp(-kAhead) * (2 + kAhead) / 4;
  EXPECT_FALSE(testing::contradicts(wins(plan, 40), kTrials, expected, testing::kFalseAlarm));
  EXPECT_TRUE(testing::contradicts(wins(plan, 36), kTrials, expected, 1e-18));
}

TEST(Votes, AreNotCountedWhereTeachersDisagree) {
  VotingRun run = run_of(tested_plan(200, {.threshold = 200, .deviation = 5}));
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(run.ask(Counts{130, 120}).value(), std::nullopt);
    EXPECT_TRUE(run.ask(Counts{250, 0}).value());
  }
  EXPECT_EQ(run.questions_left(), 100U);
  EXPECT_EQ(run.answers_left(), 150U);
}

TEST(Votes, EndWithWhatWasPlanned) {
  VotingRun run = run_of(gaussian_plan(2));
  EXPECT_FALSE(run.ask(Counts{1, 2, 3}));
  EXPECT_TRUE(run.ask(Counts{9, 1}));
  EXPECT_TRUE(run.ask(Counts{9, 1}));
  EXPECT_FALSE(run.ask(Counts{9, 1}));

  PatePlan plan = tested_plan(2, {.threshold = 100, .deviation = 1});
  plan.questions = 10;
  VotingRun tested = run_of(plan);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(tested.ask(Counts{250, 0}).value());
  EXPECT_EQ(tested.ask(Counts{250, 0}).value(), std::nullopt);
}

// Sensitivity is what a few hundred teachers could do who changed their minds, so there must be
// many.
TEST(Votes, CostLessInHindsightWhereManyTeachersAgree) {
  PatePlan plan = tested_plan(3000, {.threshold = 3000, .deviation = 150});
  plan.classes = 10;
  plan.scale = 100;
  plan.questions = 4000;
  plan.hindsight = SanitiserPlan{.order = 20};
  const Votes votes = Votes::create(plan).value();
  VotingRun run = votes.begin(PermitForTests::mint(votes.cost())).value();
  while (run.questions_left() > 0) {
    ASSERT_TRUE(run.ask(Counts{4900, 100, 0, 0, 0, 0, 0, 0, 0, 0}));
  }
  const HindsightCost told = std::move(run).hindsight().value();
  const double always = prove_epsilon(Accountant::kRdp, votes.cost(), 1e-5)->upper;
  EXPECT_LT(told.epsilon(1e-5).value(), always / 3);
  EXPECT_FALSE(told.epsilon(1e-9));
}

TEST(Votes, CostLessInHindsightWithLaplaceNoiseToo) {
  PatePlan plan = laplace_plan(3000);
  plan.scale = 100;
  plan.hindsight = SanitiserPlan{.order = 10};
  const Votes votes = Votes::create(plan).value();
  const auto told_of = [&](const Counts& counts) {
    VotingRun run = votes.begin(PermitForTests::mint(votes.cost())).value();
    while (run.questions_left() > 0) EXPECT_TRUE(run.ask(counts));
    const double unsanitised = run.unsanitised().epsilon(1e-5).value();
    const double told = std::move(run).hindsight().value().epsilon(1e-5).value();
    EXPECT_GE(told, unsanitised);
    return told;
  };
  const double agreed = told_of(Counts{9900, 100});
  const double split = told_of(Counts{5000, 5000});
  EXPECT_LT(agreed, split / 3);
  EXPECT_GE(split, votes.epsilon(1e-5).value() / 2);
}

// What a question may have cost counts, whatever came of it: a vote that is nearly never held but
// would tell everything is not cheap because it was not held.
TEST(Votes, CostInHindsightDoesNotDependOnOutcomes) {
  const auto epsilon_of = [](std::uint64_t threshold) {
    PatePlan plan = tested_plan(1, {.threshold = threshold, .deviation = 200});
    plan.scale = Rational(1) / 4;
    VotingRun run = run_of(plan);
    EXPECT_TRUE(run.ask(Counts{100, 100}));
    return run.unsanitised().epsilon(1e-5).value();
  };
  // 3 deviations from being held; then so far that it is never held.
  EXPECT_GT(epsilon_of(700), 10);
  EXPECT_LT(epsilon_of(100'000), 5);

  PatePlan plan = tested_plan(1, {.threshold = 100, .deviation = 1});
  plan.questions = 10;
  VotingRun run = run_of(plan);
  EXPECT_TRUE(run.ask(Counts{200, 0}).value());
  const double after_one = run.unsanitised().epsilon(1e-5).value();
  for (int i = 0; i < 9; ++i) EXPECT_EQ(run.ask(Counts{101, 99}).value(), std::nullopt);
  EXPECT_GT(run.unsanitised().epsilon(1e-5).value(), after_one);
  EXPECT_FALSE(run.ask(Counts{101, 99}));
}

TEST(Votes, CostNoMoreInHindsightThanWhateverTheVotes) {
  PatePlan plan = tested_plan(20, {.threshold = 30, .deviation = 10});
  plan.questions = 30;
  plan.scale = 10;
  plan.hindsight = SanitiserPlan{.order = 20};
  const Votes votes = Votes::create(plan).value();
  VotingRun run = votes.begin(PermitForTests::mint(votes.cost())).value();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(run.ask(Counts{26, 24}));
  const double most = 20 * (20 / 100.0 + 30 / 200.0 + 0.01);
  EXPECT_NEAR(std::move(run).hindsight()->divergence, most, 1e-9);
}

TEST(Votes, AskForNoHindsightThatWasNotPlanned) {
  EXPECT_FALSE(run_of(gaussian_plan(1)).hindsight());
}

TEST(Votes, RefusePlansWithoutMeaning) {
  const auto refused = [](PatePlan plan, const auto& change) {
    change(plan);
    return !Votes::create(plan);
  };
  EXPECT_TRUE(refused(gaussian_plan(5), [](PatePlan& plan) { plan.classes = 1; }));
  EXPECT_TRUE(refused(gaussian_plan(5), [](PatePlan& plan) { plan.scale = 0; }));
  EXPECT_TRUE(refused(gaussian_plan(0), [](PatePlan&) {}));
  EXPECT_TRUE(refused(gaussian_plan(std::uint64_t{1} << 41), [](PatePlan&) {}));
  EXPECT_TRUE(refused(gaussian_plan(5), [](PatePlan& plan) { plan.answers = 4; }));
  EXPECT_TRUE(refused(gaussian_plan(5), [](PatePlan& plan) { plan.answers = 6; }));
  EXPECT_TRUE(refused(gaussian_plan(5), [](PatePlan& plan) { plan.hindsight = {.order = 1}; }));
  EXPECT_TRUE(refused(gaussian_plan(std::uint64_t{1} << 30), [](PatePlan& plan) {
    plan.scale = 1;
    plan.hindsight = {.order = 25};
  }));
  EXPECT_TRUE(refused(laplace_plan(5), [](PatePlan& plan) { plan.test = {.deviation = 1}; }));
  EXPECT_TRUE(refused(tested_plan(5, {.deviation = 0}), [](PatePlan&) {}));
}

TEST(Votes, TakeNoPermitForSomethingElse) {
  const Votes votes = Votes::create(gaussian_plan(5)).value();
  EXPECT_FALSE(votes.begin(PermitForTests::mint(Votes::create(gaussian_plan(6))->cost())));
}

}  // namespace
}  // namespace tacit::learn
