#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tacit/mechanisms/testing/binomial_bounds.h"
#include "tacit/privacy/testing/permit_for_tests.h"
#include "tacit/train/private_sgd.h"

namespace tacit::train {
namespace {

// An attack on whole runs of two steps: their data is one example, or none, and the attacker, who
// sees the noisy gradients, chooses the likelier by the likelihood ratio of the stated mechanism.

constexpr std::uint64_t kRuns = 34'000;
constexpr std::uint64_t kSteps = 2;
constexpr double kRate = 0.9;
constexpr double kNoise = 0.6;
constexpr double kGradient = 5;  // its length before clipping
// At which the two-step mechanism has an epsilon of about 1. A large delta, for there the attack
// tells noise that is a tenth too small with the fewest runs.
constexpr double kDelta = 0.545;
// Each of two bounds of a test fails with half of 1e-9.
constexpr double kAlpha = 0.5e-9;

// A run after another, in one object: a hundred thousand permits would take longer.
PrivateSgdPlan plan_of(double noise, double bound, std::uint64_t runs) {
  return {.examples = 1,
          .sampling_rate = *Rational::decimal(kRate),
          .steps = runs * kSteps,
          .noise_multiplier = *Rational::decimal(noise),
          .clipping = {.bound = bound}};
}

// In how many runs the attacker says that the example was there.
std::uint64_t accusations(const PrivateSgdPlan& plan, bool example_is_there) {
  const at::Tensor w = at::zeros({1, 1}).set_requires_grad(true);
  const at::Tensor x = at::full({1, 1}, kGradient);
  auto run = PrivateSgd::begin(plan, {w}, PermitForTests::mint(*plan.cost()));
  EXPECT_TRUE(run) << (run ? "" : run.error().message());
  std::uint64_t count = 0;
  while (run && run->steps_left() > 0) {
    double log_ratio = 0;
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      const auto batch = run->draw();
      if (example_is_there && !batch->empty()) {
        EXPECT_TRUE(run->add(at::linear(x, w).sum(1)));
      }
      EXPECT_TRUE(run->finish_step());
      const double seen = kRate * double{w.grad().item<float>()};
      log_ratio += std::log(1 - kRate + kRate * std::exp((2 * seen - 1) / (2 * kNoise * kNoise)));
    }
    count += log_ratio > 1 ? 1U : 0U;
  }
  return count;
}

// An epsilon that no mechanism with this delta is below, but for one chance in 1e9.
double audited_epsilon(double noise, double bound, std::uint64_t runs) {
  const PrivateSgdPlan plan = plan_of(noise, bound, runs);
  const double there = testing::lower_bound(accusations(plan, true), runs, kAlpha);
  const double absent = testing::upper_bound(accusations(plan, false), runs, kAlpha);
  return there <= kDelta ? 0 : std::log((there - kDelta) / absent);
}

TEST(PrivateSgdAudit, WholeRunsTellNoMoreThanTheyClaim) {
  const double claimed = plan_of(kNoise, 1, 1).epsilon(kDelta)->upper;
  ASSERT_GT(claimed, 0.9);
  ASSERT_LT(claimed, 1.1);
  const double found = audited_epsilon(kNoise, 1, kRuns);
  EXPECT_LE(found, claimed);
  EXPECT_GT(found, 0.5 * claimed) << "an attack that finds so little shows nothing";
}

// Power: the same attack convicts a run whose noise is a tenth too small.
TEST(PrivateSgdAudit, ConvictsNoiseThatIsTooSmall) {
  const double claimed = plan_of(kNoise, 1, 1).epsilon(kDelta)->upper;
  EXPECT_GT(audited_epsilon(0.9 * kNoise, 1, kRuns), claimed);
}

// Power: and one that does not clip (to the length of the gradient, with the noise of bound 1).
TEST(PrivateSgdAudit, ConvictsMissingClipping) {
  const double claimed = plan_of(kNoise, 1, 1).epsilon(kDelta)->upper;
  EXPECT_GT(audited_epsilon(kNoise / kGradient, kGradient, 2'000), claimed);
}

}  // namespace
}  // namespace tacit::train
