#include "tacit/train/private_sgd.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit::train {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

PrivateSgdPlan small_plan() {
  return {.examples = 100,
          .sampling_rate = *PrivateSgdPlan::rate_for(20, 100),
          .steps = 3,
          .noise_multiplier = 1,
          .clipping = {.bound = 1}};
}

Permit permit_for(const PrivateSgdPlan& plan) { return PermitForTests::mint(*plan.cost()); }

at::Tensor weight() { return at::zeros({2, 3}).set_requires_grad(true); }

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

using Passes = std::vector<std::vector<std::int64_t>>;

PrivateSgdPlan mixed_plan() {
  PrivateSgdPlan plan = small_plan();
  plan.sampling = {.kind = Sampling::Kind::kTruncated, .largest_batch = 70};
  plan.mixed_precision = MixedPrecision{};
  return plan;
}

TEST(PrivateSgdInMixedPrecision, HasPassesOfOneShapeWhoeverWasDrawn) {
  const PrivateSgdPlan plan = mixed_plan();
  auto run = PrivateSgd::begin(plan, {weight()}, permit_for(plan));
  ASSERT_TRUE(run) << run.error().message();
  EXPECT_FALSE(run->passes({1, 2}, 16)) << "no step is under way";
  const auto batch = run->draw();
  ASSERT_TRUE(batch);
  const auto passes = run->passes(*batch, 16);
  ASSERT_TRUE(passes) << passes.error().message();
  EXPECT_LE(passes->size(), 5U);
  std::vector<std::int64_t> found;
  for (const auto& pass : *passes) {
    EXPECT_EQ(pass.size(), 14U);  // 5 passes of 16 would leave more rows of nobody
    std::ranges::copy_if(pass, std::back_inserter(found),
                         [](std::int64_t example) { return example != PrivateSgd::kNobody; });
  }
  std::ranges::sort(found);
  EXPECT_EQ(found, *batch);
  EXPECT_EQ(run->passes({}, 16), Passes{});
  EXPECT_FALSE(run->passes(*batch, 0));
  EXPECT_FALSE(run->passes(std::vector<std::int64_t>(71), 16));
}

TEST(PrivateSgdInMixedPrecision, AddsItsPassesAndNothingElse) {
  const PrivateSgdPlan plan = mixed_plan();
  const at::Tensor w = weight();
  const auto losses = [&](std::int64_t rows) {
    return at::linear(at::ones({rows, 3}, at::kBFloat16), w.to(at::kBFloat16))
        .to(at::kFloat)
        .sum(1);
  };
  auto run = PrivateSgd::begin(plan, {w}, permit_for(plan));
  ASSERT_TRUE(run && run->draw());
  EXPECT_FALSE(run->add(losses(10))) << "passes() was not called";
  ASSERT_TRUE(run->passes({4}, 10));
  EXPECT_FALSE(run->add(losses(9)));
  ASSERT_TRUE(run->add(losses(10)));
  EXPECT_FALSE(run->add(losses(10))) << "the other passes have no example";
  ASSERT_TRUE(run->finish_step());
  EXPECT_TRUE(w.grad().defined());

  const PrivateSgdPlan plain = small_plan();
  auto other = PrivateSgd::begin(plain, {w}, permit_for(plain));
  ASSERT_TRUE(other && other->draw());
  EXPECT_FALSE(other->passes({4}, 10));
  EXPECT_FALSE(other->add(losses(10)));
}

// Twelve ways for two examples in four rows, each a thousand times in expectation. A count has a
// standard deviation of 30, and is off by 220, more than seven of them, in less than one run of
// 10^10.
TEST(PrivateSgdInMixedPrecision, EveryPlaceIsAsLikely) {
  PrivateSgdPlan plan = mixed_plan();
  plan.examples = 4;
  plan.sampling_rate = 1;
  plan.sampling = {.kind = Sampling::Kind::kFixedSize};
  auto run = PrivateSgd::begin(plan, {weight()}, permit_for(plan));
  ASSERT_TRUE(run && run->draw());
  std::map<Passes, int> counts;
  for (int i = 0; i < 12'000; ++i) ++counts[*run->passes({7, 8}, 4)];
  EXPECT_EQ(counts.size(), 12U);
  for (const auto& [passes, count] : counts) EXPECT_NEAR(count, 1000, 220);
}

// The gradients that a run leaves when every example has the gradient (length, 0, 0) and all are
// drawn, one tensor a step.
std::vector<at::Tensor> gradients_of(const PrivateSgdPlan& plan, double length) {
  const at::Tensor w = at::zeros({1, 3}).set_requires_grad(true);
  auto run = PrivateSgd::begin(plan, {w}, permit_for(plan));
  EXPECT_TRUE(run) << (run ? "" : run.error().message());
  std::vector<at::Tensor> gradients;
  while (run && run->steps_left() > 0) {
    const auto batch = run->draw();
    const auto size = static_cast<std::int64_t>(batch->size());
    const at::Tensor x = at::tensor({length, 0.0, 0.0}, at::kFloat).expand({size, 3});
    EXPECT_TRUE(run->add(at::linear(x, w).sum(1)));
    EXPECT_TRUE(run->finish_step());
    gradients.push_back(w.grad().clone());
  }
  return gradients;
}

PrivateSgdPlan all_drawn(std::uint64_t steps) {
  return {.examples = 10'000,
          .sampling_rate = 1,
          .steps = steps,
          .noise_multiplier = 1,
          .clipping = {.bound = 1}};
}

TEST(PrivateSgd, FollowsTheScheduleOfTheBound) {
  PrivateSgdPlan plan = all_drawn(4);
  plan.schedules.bound = *Schedule::of_levels({{0, 2}, {2, *Rational::ratio(1, 2)}});
  const auto gradients = gradients_of(plan, 10);
  ASSERT_EQ(gradients.size(), 4U);
  for (std::size_t step = 0; step < 4; ++step) {
    // Noise of one ten-thousandth of the bound.
    const double bound = step < 2 ? 2 : 0.5;
    EXPECT_NEAR(gradients[step][0][0].item<float>(), bound, bound * 0.01) << step;
  }
  // Below the bound nothing is scaled.
  EXPECT_NEAR(gradients_of(plan, 0.25).front()[0][0].item<float>(), 0.25, 0.01);
}

TEST(PrivateSgd, ABoundThatFollowsTheNormsFindsTheirMedian) {
  PrivateSgdPlan plan = all_drawn(60);
  plan.adaptive = AdaptiveClipping{.learning_rate = 1, .count_noise = 100};
  const at::Tensor w = at::zeros({1, 1}).set_requires_grad(true);
  const at::Tensor norms = at::linspace(0, 20, 10'000).unsqueeze(1);  // the median is 10
  auto run = PrivateSgd::begin(plan, {w}, permit_for(plan));
  ASSERT_TRUE(run) << run.error().message();
  EXPECT_EQ(run->bound(), 1);
  while (run->steps_left() > 0) {
    ASSERT_TRUE(run->draw());
    ASSERT_TRUE(run->add(at::linear(norms, w).sum(1)));
    ASSERT_TRUE(run->finish_step());
  }
  // Nine standard deviations of what noise makes of it.
  EXPECT_NEAR(run->bound(), 10, 0.5);
  // The mean of gradients, clipped at 10.
  EXPECT_NEAR(w.grad().item<float>(), 7.5, 0.3);
}

TEST(PrivateSgd, GoesOnFromItsState) {
  PrivateSgdPlan plan = all_drawn(3);
  plan.adaptive = AdaptiveClipping{};
  auto run = PrivateSgd::begin(plan, {weight()}, permit_for(plan));
  ASSERT_TRUE(run);
  ASSERT_TRUE(run->draw() && run->finish_step());
  const std::string state = run->state();
  const double bound = run->bound();
  ASSERT_TRUE(run->draw() && run->finish_step());
  EXPECT_TRUE(run->restore(state));
  EXPECT_EQ(run->bound(), bound);
  auto behind = PrivateSgd::begin(plan, {weight()}, permit_for(plan));
  const auto refused = behind->restore(state);
  ASSERT_FALSE(refused) << "a checkpoint ahead of the count of steps";
  EXPECT_EQ(refused.error().kind, ErrorKind::kWorld);
  EXPECT_FALSE(run->restore("position 1"));
}

class Warnings : public c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override { all.push_back(warning.msg()); }
  std::vector<std::string> all;
};

// What a run warns of that goes the slow way in its second and third step.
std::vector<std::string> warnings_of(bool is_told) {
  Warnings warnings;
  const c10::WarningUtils::WarningHandlerGuard guard(&warnings);
  const PrivateSgdPlan plan = small_plan();
  const at::Tensor w = at::ones({3}).set_requires_grad(true);
  const at::Tensor x = at::ones({4, 3});
  auto run = PrivateSgd::begin(plan, {w}, permit_for(plan));
  if (!is_told) run->warn_if_slow(false);
  EXPECT_TRUE(run->draw() && run->add((x * w).sum(1)) && run->finish_step());
  EXPECT_TRUE(warnings.all.empty());
  for (int step = 1; step < 3; ++step) {
    EXPECT_TRUE(run->draw() && run->add((x / w).sum(1)) && run->add((x / w).sum(1)) &&
                run->finish_step());
  }
  return warnings.all;
}

TEST(PrivateSgd, WarnsOnceOfWhatIsSlow) {
  EXPECT_THAT(warnings_of(true), ElementsAre(HasSubstr("slow, for parameter 0 in DivBackward0")));
  EXPECT_THAT(warnings_of(false), IsEmpty());
}

// Where the losses of a batch do not tell whose rows are whose, to say so would tell of the batch.
TEST(PrivateSgd, DoesNotWarnOfABatch) {
  Warnings warnings;
  const c10::WarningUtils::WarningHandlerGuard guard(&warnings);
  const PrivateSgdPlan plan = small_plan();
  const at::Tensor w = at::ones({2, 3}).set_requires_grad(true);
  auto run = PrivateSgd::begin(plan, {w}, permit_for(plan));
  ASSERT_TRUE(run && run->draw());
  // With the time in front, and a single loss that counts.
  const at::Tensor out = at::tanh(at::linear(at::randn({4, 4, 3}), w)).transpose(0, 1);
  ASSERT_TRUE(run->add(out.square().sum({1, 2}) * at::tensor({0.0F, 1.0F, 0.0F, 0.0F})));
  ASSERT_TRUE(run->finish_step());
  EXPECT_THAT(run->slow(), IsEmpty());
  EXPECT_THAT(warnings.all, IsEmpty());
}

TEST(PrivateSgd, DrawsBatchesOfAFixedSize) {
  PrivateSgdPlan plan = small_plan();
  plan.sampling.kind = Sampling::Kind::kFixedSize;
  auto run = PrivateSgd::begin(plan, {weight()}, permit_for(plan));
  ASSERT_TRUE(run) << run.error().message();
  while (run->steps_left() > 0) {
    EXPECT_EQ(run->draw()->size(), 20U);
    ASSERT_TRUE(run->finish_step());
  }
}

}  // namespace
}  // namespace tacit::train
