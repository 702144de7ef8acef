#include "tacit/train/private_means.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tacit/ledger/ledger.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/scratch.h"
#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit::train {
namespace {

Permit permit_for(const PrivateMeansPlan& plan) { return PermitForTests::mint(*plan.cost()); }

// All examples, and as little noise as there may be.
PrivateMeansPlan nearly_exact(std::uint64_t examples, std::uint64_t statistics) {
  return {.examples = examples,
          .statistics = statistics,
          .noise_multiplier = Rational::power_of_two(-4)};
}

TEST(PrivateMeans, AreMeansOfBoundedValues) {
  const PrivateMeansPlan plan = nearly_exact(1000, 2);
  auto means = PrivateMeans::begin(plan, permit_for(plan));
  ASSERT_TRUE(means) << means.error().message();
  EXPECT_EQ(means->draw()->size(), 1000);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  // 0.25 and -0.5; what is beyond the bounds stops there, and what is no number is 0.
  ASSERT_TRUE(means->add(at::tensor({0.25, -0.5}).repeat({496, 1})));
  ASSERT_TRUE(means->add(at::tensor({0.25, -0.5}).repeat({500, 1}).to(at::kFloat)));
  ASSERT_TRUE(
      means->add(at::tensor({7.0, nan, nan, -infinite, infinite, -3.0, nan, 0.0}).reshape({4, 2})));
  const auto told = means->tell();
  ASSERT_TRUE(told) << told.error().message();
  const double tolerance = 8 * plan.standard_deviation();
  EXPECT_LT(tolerance, 1e-3);
  EXPECT_NEAR(told->at(0), (996 * 0.25 + 2) / 1000, tolerance);
  EXPECT_NEAR(told->at(1), (996 * -0.5 - 2) / 1000, tolerance);
}

TEST(PrivateMeans, AreToldAsOftenAsPaidFor) {
  PrivateMeansPlan plan = nearly_exact(100, 1);
  plan.sampling_rate = *Rational::ratio(1, 5);
  plan.times = 2;
  auto means = PrivateMeans::begin(plan, permit_for(plan));
  ASSERT_TRUE(means);
  EXPECT_FALSE(means->tell());
  EXPECT_FALSE(means->add(at::zeros({1, 1})));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(means->draw());
    EXPECT_FALSE(means->draw());
    EXPECT_FALSE(means->add(at::zeros({3, 2})));
    EXPECT_TRUE(means->tell());  // of an empty sample, too
  }
  EXPECT_EQ(means->times_left(), 0);
  EXPECT_FALSE(means->draw());
}

TEST(PrivateMeans, ALedgerCountsThemAndALostOneStaysSpent) {
  const Scratch scratch;
  Ledger ledger = Ledger::create(create_sqlite_store(scratch / "ledger").value(), "eve").value();
  ASSERT_TRUE(ledger.create_dataset(
      {.dataset = "visits", .budget = *Budget::approximate(5000, *Rational::parse("1e-5"))}));
  PrivateMeansPlan plan = nearly_exact(100, 1);
  plan.times = 3;
  const std::string id = *RunPermit::new_id();
  const auto open = [&](const PrivateMeansPlan& asked) -> Result<PrivateMeans> {
    TACIT_ASSIGN_OR_RETURN(RunPermit permit, RunPermit::reserve_or_resume(
                                                 ledger,
                                                 {.account = {.dataset = "visits", .analyst = {}},
                                                  .cost = *asked.cost(),
                                                  .who = "ana",
                                                  .note = "losses"},
                                                 id, asked.terms(), {.steps_a_claim = 1}));
    return PrivateMeans::begin(asked, std::move(permit));
  };
  {
    auto means = open(plan);
    ASSERT_TRUE(means) << means.error().message();
    ASSERT_TRUE(means->draw() && means->tell());
    ASSERT_TRUE(means->draw());  // and is killed
  }
  const auto entries = ledger.head()->sequence;
  auto means = open(plan);
  ASSERT_TRUE(means) << means.error().message();
  EXPECT_EQ(means->times_left(), 1);
  ASSERT_TRUE(means->draw() && means->tell());
  EXPECT_FALSE(means->draw());
  EXPECT_EQ(ledger.head()->sequence, entries) << "nothing more was charged";
  plan.statistics = 2;
  EXPECT_FALSE(open(plan)) << "other means than were begun";
}

// The sum of squares of 40 thousand draws over what it should be. Its standard deviation is 0.7%.
double variance_ratio(const PrivateMeansPlan& plan, double deviation) {
  auto means = PrivateMeans::begin(plan, permit_for(plan));
  EXPECT_TRUE(means && means->draw());
  const auto told = means->tell();
  double squares = 0;
  for (const double mean : *told) squares += mean * mean;
  return squares / static_cast<double>(plan.statistics) / (deviation * deviation);
}

// Within 6.2 standard deviations: a false alarm in 10^9 runs.
TEST(PrivateMeans, HaveTheNoiseTheyCost) {
  PrivateMeansPlan plan{.examples = 10, .statistics = 40'000, .noise_multiplier = 2};
  const double deviation = 2 * std::sqrt(40'000) * (1 + 1.0 / 128) / 10;
  EXPECT_NEAR(plan.standard_deviation(), deviation, 1e-4 * deviation);
  EXPECT_NEAR(variance_ratio(plan, deviation), 1, 0.044);
  // Noise that is a tenth too small would show.
  plan.noise_multiplier = *Rational::ratio(18, 10);
  EXPECT_LT(variance_ratio(plan, deviation), 1 - 0.044);
}

TEST(PrivateMeans, CostGaussianNoiseOnASample) {
  PrivateMeansPlan plan = nearly_exact(100, 3);
  plan.sampling_rate = *Rational::ratio(1, 5);
  plan.times = 4;
  const auto noise = *Cost::leaf(cost::Gaussian{Rational::power_of_two(-4)});
  const auto one = *Cost::poisson_sample(*Rational::ratio(1, 5), noise);
  EXPECT_EQ(*plan.cost(), *Cost::repeat(4, one));
}

TEST(PrivateMeans, RefusePlansWithoutMeaning) {
  const auto refused = [](auto change) {
    PrivateMeansPlan plan = nearly_exact(100, 1);
    change(plan);
    return !PrivateMeans::check(plan);
  };
  EXPECT_FALSE(refused([](PrivateMeansPlan&) {}));
  EXPECT_TRUE(refused([](PrivateMeansPlan& plan) { plan.examples = 0; }));
  EXPECT_TRUE(refused([](PrivateMeansPlan& plan) { plan.times = 0; }));
  EXPECT_TRUE(refused([](PrivateMeansPlan& plan) { plan.statistics = 0; }));
  EXPECT_TRUE(refused([](PrivateMeansPlan& plan) { plan.sampling_rate = 2; }));
  EXPECT_TRUE(refused([](PrivateMeansPlan& plan) { plan.noise_multiplier = 0; }));
  EXPECT_TRUE(refused([](PrivateMeansPlan& plan) { plan.noise_multiplier = 5000; }));
  PrivateMeansPlan other = nearly_exact(100, 1);
  other.times = 2;
  EXPECT_FALSE(PrivateMeans::begin(nearly_exact(100, 1), permit_for(other)));
}

}  // namespace
}  // namespace tacit::train
