#include "tacit/train/private_sgd.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit::train {
namespace {

using ::testing::HasSubstr;

PrivateSgdPlan small_plan() {
  return {.examples = 100,
          .sampling_rate = *PrivateSgdPlan::rate_for(20, 100),
          .steps = 3,
          .noise_multiplier = 1,
          .clipping = {.bound = 1}};
}

Permit permit_for(const PrivateSgdPlan& plan) { return PermitForTests::mint(*plan.cost()); }

at::Tensor weight() { return at::zeros({2, 3}).set_requires_grad(true); }

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

TEST(PrivateSgd, RunsItsStepsAndNoMore) {
  const PrivateSgdPlan plan = small_plan();
  const at::Tensor w = weight();
  const at::Tensor x = at::randn({100, 3});
  auto run = PrivateSgd::begin(plan, {w}, permit_for(plan));
  ASSERT_TRUE(run) << run.error().message();
  while (run->steps_left() > 0) {
    const auto batch = run->draw();
    ASSERT_TRUE(batch);
    EXPECT_FALSE(run->draw());  // the step is not finished
    if (!batch->empty()) {
      const at::Tensor places = at::tensor(*batch, at::kLong);
      ASSERT_TRUE(run->add(at::linear(x.index_select(0, places), w).sum(1)));
    }
    ASSERT_TRUE(run->finish_step());
    ASSERT_TRUE(w.grad().defined());
    EXPECT_EQ(w.grad().sizes(), w.sizes());
  }
  EXPECT_FALSE(run->draw());
  EXPECT_FALSE(run->finish_step());
  EXPECT_FALSE(run->add(at::linear(x, w).sum(1)));
}

// A step with an empty batch is noise divided by the expected batch size.
TEST(PrivateSgd, AnEmptyBatchIsAStep) {
  PrivateSgdPlan plan = small_plan();
  plan.steps = 1;
  const at::Tensor w = weight();
  auto run = PrivateSgd::begin(plan, {w}, permit_for(plan));
  ASSERT_TRUE(run && run->draw());
  ASSERT_TRUE(run->finish_step());
  EXPECT_GT(w.grad().abs().max().item<float>(), 0);
  EXPECT_LT(w.grad().abs().max().item<float>(), 20.0 / 20);
}

TEST(PrivateSgd, LeavesFrozenParametersAlone) {
  const PrivateSgdPlan plan = small_plan();
  const at::Tensor w = weight();
  const at::Tensor frozen = at::randn({3, 3});
  auto run = PrivateSgd::begin(plan, {frozen, w}, permit_for(plan));
  ASSERT_TRUE(run && run->draw());
  ASSERT_TRUE(run->add(at::linear(at::linear(at::randn({4, 3}), frozen), w).sum(1)));
  ASSERT_TRUE(run->finish_step());
  EXPECT_FALSE(frozen.grad().defined());
  EXPECT_TRUE(w.grad().defined());
}

TEST(PrivateSgd, RefusesAPermitForAnotherRun) {
  PrivateSgdPlan other = small_plan();
  other.steps = 4;
  EXPECT_FALSE(PrivateSgd::begin(small_plan(), {weight()}, permit_for(other)));
}

TEST(PrivateSgd, RefusesPlansWithoutMeaning) {
  const auto refused = [](auto change) {
    const PrivateSgdPlan plan = small_plan();
    PrivateSgdPlan changed = plan;
    change(changed);
    return !PrivateSgd::begin(changed, {weight()}, permit_for(plan));
  };
  EXPECT_TRUE(refused([](PrivateSgdPlan& plan) { plan.steps = 0; }));
  EXPECT_TRUE(refused([](PrivateSgdPlan& plan) { plan.examples = 0; }));
  EXPECT_TRUE(refused([](PrivateSgdPlan& plan) { plan.sampling_rate = 2; }));
  EXPECT_TRUE(refused([](PrivateSgdPlan& plan) { plan.noise_multiplier = 0; }));
  EXPECT_TRUE(refused([](PrivateSgdPlan& plan) { plan.clipping.bound = -1; }));
  EXPECT_FALSE(PrivateSgdPlan::rate_for(0, 10));
  EXPECT_FALSE(PrivateSgdPlan::rate_for(11, 10));
}

}  // namespace
}  // namespace tacit::train
