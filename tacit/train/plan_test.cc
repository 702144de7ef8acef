#include "tacit/train/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::train {
namespace {

using ::testing::HasSubstr;

TEST(PrivateSgdPlan, CostsWhatTheReferenceSays) {
  // Opacus' MNIST example: rate 64/60000, multiplier 1.1, 15 epochs.
  const PrivateSgdPlan plan{.examples = 60'000,
                            .sampling_rate = *PrivateSgdPlan::rate_for(64, 60'000),
                            .steps = 15 * 60'000 / 64,
                            .noise_multiplier = *Rational::ratio(11, 10),
                            .clipping = {.bound = 1}};
  const auto proved = plan.epsilon(1e-5);
  ASSERT_TRUE(proved) << proved.error().message();
  EXPECT_LT(proved->upper, 1.2);
  EXPECT_GT(*proved->lower, 0.5);
  EXPECT_THAT(plan.cost()->to_text(), HasSubstr("14062"));
}

TEST(PrivateSgdPlan, CalibratesToATarget) {
  PrivateSgdPlan plan{
      .examples = 60'000, .sampling_rate = *PrivateSgdPlan::rate_for(512, 60'000), .steps = 500};
  const auto calibrated = plan.calibrated_to(2.93, 1e-5);
  ASSERT_TRUE(calibrated) << calibrated.error().message();
  const auto proved = calibrated->epsilon(1e-5);
  EXPECT_LE(proved->upper, 2.93);
  EXPECT_GT(proved->upper, 2.92);
}

PrivateSgdPlan small_plan() {
  return {.examples = 1000,
          .sampling_rate = *PrivateSgdPlan::rate_for(50, 1000),
          .steps = 100,
          .noise_multiplier = 1,
          .clipping = {.bound = 1}};
}

// What the tree says, each kind of steps by itself.
TEST(PrivateSgdPlan, AccountsForEachStepAsItWas) {
  PrivateSgdPlan plan = small_plan();
  plan.schedules.noise = *Schedule::of_levels({{0, 2}, {60, 1}});
  plan.schedules.rate = *Schedule::of_levels({{0, 1}, {80, *Rational::ratio(1, 2)}});
  const auto step = [](const char* rate, std::int64_t noise) {
    return *Cost::poisson_sample(*Rational::parse(rate), *Cost::leaf(cost::Gaussian{noise}));
  };
  EXPECT_EQ(*plan.cost(),
            *Cost::compose({*Cost::repeat(60, step("0.05", 2)), *Cost::repeat(20, step("0.05", 1)),
                            *Cost::repeat(20, step("0.025", 1))}));
  const double scheduled = plan.epsilon(1e-5)->upper;
  EXPECT_LT(scheduled, small_plan().epsilon(1e-5)->upper) << "more noise, fewer examples";
  PrivateSgdPlan quiet = small_plan();
  quiet.noise_multiplier = 2;
  EXPECT_GT(scheduled, quiet.epsilon(1e-5)->upper);
}

TEST(PrivateSgdPlan, ABoundHasAScheduleThatCostsNothing) {
  PrivateSgdPlan plan = small_plan();
  plan.schedules.bound = *Schedule::linear(*Rational::ratio(1, 10), 100, 5);
  EXPECT_EQ(plan.groups().size(), 5U);
  EXPECT_NEAR(plan.epsilon(1e-5)->upper, small_plan().epsilon(1e-5)->upper, 1e-3);
}

TEST(PrivateSgdPlan, TruncationCostsADelta) {
  PrivateSgdPlan plan = small_plan();
  plan.sampling = {.kind = Sampling::Kind::kTruncated,
                   .largest_batch = *largest_batch_for(1000, plan.sampling_rate, 100, 1e-6)};
  const double at_rest = small_plan().epsilon(9e-6)->upper;
  const double truncated = plan.epsilon(1e-5)->upper;
  EXPECT_GE(truncated, small_plan().epsilon(1e-5)->upper);
  EXPECT_LE(truncated, at_rest + 1e-3) << "no more than the delta that is set apart";
  plan.sampling.largest_batch = 51;
  EXPECT_FALSE(plan.epsilon(1e-5)) << "nearly half of the batches overflow";
}

TEST(PrivateSgdPlan, BatchesOfAFixedSizeAreForReplaceNeighbours) {
  PrivateSgdPlan plan = small_plan();
  plan.sampling.kind = Sampling::Kind::kFixedSize;
  const auto cost = plan.cost();
  ASSERT_TRUE(cost) << cost.error().message();
  EXPECT_EQ(cost->neighbours(), Neighbours::kReplace);
  EXPECT_EQ(plan.accountant(), Accountant::kRdp);
  const auto fixed = plan.epsilon(1e-5);
  ASSERT_TRUE(fixed) << fixed.error().message();
  EXPECT_GT(fixed->upper, small_plan().epsilon(1e-5)->upper);
  const auto calibrated = plan.calibrated_to(3, 1e-5);
  ASSERT_TRUE(calibrated) << calibrated.error().message();
  EXPECT_LE(calibrated->epsilon(1e-5)->upper, 3);
}

TEST(PrivateSgdPlan, SaysWhatARunIsBoundTo) {
  PrivateSgdPlan plan = small_plan();
  EXPECT_EQ(plan.terms().size(), 6U);
  plan.schedules.noise = *Schedule::of_levels({{0, 2}, {60, 1}});
  plan.adaptive = AdaptiveClipping{};
  const RunTerms terms = plan.terms();
  ASSERT_EQ(terms.size(), 8U);
  EXPECT_EQ(terms[6].second, "2, from step 60 1");
  EXPECT_EQ(terms[7].second, "quantile 0.5, rate 0.2, count noise 5");
  plan.mixed_precision = MixedPrecision{};
  EXPECT_EQ(plan.terms().back(), std::pair(std::string("precision"), std::string("mixed")));
}

TEST(PrivateSgdPlan, RefusesWhatHasNoMeaning) {
  const auto refusal = [](auto change) {
    PrivateSgdPlan plan = small_plan();
    change(plan);
    const auto checked = plan.check();
    return checked ? std::string("none") : checked.error().message();
  };
  using Plan = PrivateSgdPlan;
  EXPECT_EQ(refusal([](Plan&) {}), "none");
  EXPECT_THAT(refusal([](Plan& plan) { plan.sampling_rate = 2; }), HasSubstr("at most 1"));
  EXPECT_THAT(refusal([](Plan& plan) { plan.steps = 0; }), HasSubstr("one step"));
  EXPECT_THAT(refusal([](Plan& plan) { plan.clipping.bound = 0; }), HasSubstr("above 0"));
  EXPECT_THAT(refusal([](Plan& plan) { plan.schedules.rate = *Schedule::of_levels({{0, 21}}); }),
              HasSubstr("at most 1"));
  EXPECT_THAT(refusal([](Plan& plan) {
                plan.sampling = {.kind = Sampling::Kind::kFixedSize};
                plan.examples = 999;
              }),
              HasSubstr("whole number"));
  EXPECT_THAT(refusal([](Plan& plan) {
                plan.adaptive = AdaptiveClipping{};
                plan.clipping.kind = Clipping::Kind::kAutomatic;
              }),
              HasSubstr("flat"));
  EXPECT_THAT(refusal([](Plan& plan) { plan.mixed_precision = MixedPrecision{}; }),
              HasSubstr("largest size"));
  EXPECT_THAT(refusal([](Plan& plan) {
                plan.sampling = {.kind = Sampling::Kind::kTruncated, .largest_batch = 200};
                plan.mixed_precision = MixedPrecision{.loss_scale = 3};
              }),
              HasSubstr("power of two"));
  EXPECT_FALSE(small_plan().calibrated_to(-1, 1e-5)) << "a target that cannot be met";
  EXPECT_FALSE(small_plan().calibrated_to(1, 0));
}

}  // namespace
}  // namespace tacit::train
