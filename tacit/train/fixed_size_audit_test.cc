#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tacit/mechanisms/testing/binomial_bounds.h"
#include "tacit/privacy/testing/permit_for_tests.h"
#include "tacit/train/private_sgd.h"

namespace tacit::train {
namespace {

// An attack on steps with batches of a fixed size, 9 of 10 examples: nine have no gradient, and the
// tenth is one of two that pull in opposite directions. The attacker, who sees the noisy gradient,
// chooses the likelier of the two by the likelihood ratio of the stated law.

constexpr int kExamples = 10;
constexpr int kBatch = 9;
constexpr double kRate = 0.9;
// Of the noise over 2 C: replacing an example moves the sum by that much.
constexpr double kNoise = 0.4;
constexpr double kGradient = 5;  // its length before clipping to 1
constexpr double kEpsilon = 0.5;
// So many that a run whose noise is a tenth too small is convicted in all but one of 1e9 tests: its
// delta is then 7 deviations above what the two bounds below leave uncertain.
constexpr std::uint64_t kSteps = 60'000;
// Each of the two bounds of a test fails with half of 1e-9.
constexpr double kAlpha = 0.5e-9;

// What the attacker sees of a step, in units of C, has this density where the tenth example pulls
// toward `sign` and the noise has this deviation.
double density(double seen, double sign, double deviation) {
  const auto normal = [&](double mean) {
    const double z = (seen - mean) / deviation;
    return std::exp(-z * z / 2) / (deviation * std::sqrt(2 * std::numbers::pi));
  };
  return kRate * normal(sign) + (1 - kRate) * normal(0);
}

constexpr double kDeviation = 2 * kNoise;

bool accuses(double seen) {
  return std::log(density(seen, 1, kDeviation) / density(seen, -1, kDeviation)) > kEpsilon;
}

// The delta of the stated law at kEpsilon: that of no other test is larger (Neyman, Pearson).
double stated_delta() {
  constexpr int kPlaces = 24'000;
  constexpr double kStep = 1e-3;
  double sum = 0;
  for (int i = 0; i < kPlaces; ++i) {
    const double seen = (i - kPlaces / 2) * kStep;
    sum += kStep * std::max(0.0, density(seen, 1, kDeviation) -
                                     std::exp(kEpsilon) * density(seen, -1, kDeviation));
  }
  return sum;
}

// One step after another, in one object: so many permits would take longer.
PrivateSgdPlan plan_of(double noise, std::uint64_t steps) {
  return {.examples = kExamples,
          .sampling_rate = *Rational::ratio(kBatch, kExamples),
          .steps = steps,
          .noise_multiplier = *Rational::decimal(noise),
          .clipping = {.bound = 1},
          .sampling = {.kind = Sampling::Kind::kFixedSize}};
}

// In how many steps the attacker says that the tenth example pulls upward.
std::uint64_t accusations(const PrivateSgdPlan& plan, double sign) {
  const at::Tensor w = at::zeros({1, 1}).set_requires_grad(true);
  const at::Tensor x = at::full({1, 1}, sign * kGradient);
  auto run = PrivateSgd::begin(plan, {w}, PermitForTests::mint(*plan.cost()));
  EXPECT_TRUE(run) << (run ? "" : run.error().message());
  std::uint64_t count = 0;
  while (run && run->steps_left() > 0) {
    const auto batch = run->draw();
    EXPECT_EQ(batch->size(), kBatch);
    if (batch->back() == kExamples - 1) {
      EXPECT_TRUE(run->add(at::linear(x, w).sum(1)));
    }
    EXPECT_TRUE(run->finish_step());
    count += accuses(kBatch * double{w.grad().item<float>()}) ? 1U : 0U;
  }
  return count;
}

// A delta at kEpsilon that no such step is below, but for one chance in 1e9.
double audited_delta(double noise, std::uint64_t steps) {
  const PrivateSgdPlan plan = plan_of(noise, steps);
  const double upward = testing::lower_bound(accusations(plan, 1), steps, kAlpha);
  const double downward = testing::upper_bound(accusations(plan, -1), steps, kAlpha);
  return upward - std::exp(kEpsilon) * downward;
}

TEST(FixedSizeAudit, TellsNoMoreThanTheStatedLaw) {
  const double stated = stated_delta();
  const double found = audited_delta(kNoise, kSteps);
  EXPECT_LE(found, stated);
  EXPECT_GT(found, 0.9 * stated) << "an attack that finds so little shows nothing";
}

TEST(FixedSizeAudit, TheLawIsNotBetterThanWhatIsClaimed) {
  EXPECT_GE(plan_of(kNoise, 1).epsilon(stated_delta())->upper, kEpsilon);
}

// Power: the same attack convicts noise that is a tenth too small.
TEST(FixedSizeAudit, ConvictsNoiseThatIsTooSmall) {
  EXPECT_GT(audited_delta(0.9 * kNoise, kSteps), stated_delta());
}

// Power: and noise for a sum that moves by C alone, which one example more or less would need.
TEST(FixedSizeAudit, ConvictsTheNoiseOfOtherNeighbours) {
  EXPECT_GT(audited_delta(kNoise / 2, 4'000), stated_delta());
}

}  // namespace
}  // namespace tacit::train
