#include "tacit/train/gradient_noise.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tacit/privacy/testing/permit_for_tests.h"
#include "tacit/train/testing/clipped_sum_for_tests.h"

namespace tacit::train {
namespace {

constexpr std::int64_t kCoordinates = 1 << 20;

// The released noise of many coordinates, over its stated deviation.
at::Tensor standardized(const GradientNoise& noise, double stated) {
  auto stream = SecureStream::create();
  const ClippedSum sum = ClippedSumForTests::of({.bound = 1}, {at::zeros({kCoordinates})});
  const auto released =
      noise.release(sum, noise.cost(), PermitForTests::mint(noise.cost()), *stream);
  EXPECT_TRUE(released);
  return released->front().to(at::kDouble) / stated;
}

// The mean of n squares of standard normals is within 1 +- 7 sqrt(2/n) but for 1e-11.
bool has_unit_variance(const at::Tensor& values) {
  const double mean = values.square().mean().item<double>();
  return std::abs(mean - 1) < 7 * std::sqrt(2.0 / static_cast<double>(values.numel()));
}

GradientNoise noise_of(const Rational& multiplier, std::uint64_t coordinates = kCoordinates) {
  auto noise = GradientNoise::create(multiplier, {.bound = 1}, coordinates);
  EXPECT_TRUE(noise);
  return *std::move(noise);
}

TEST(GradientNoise, HasTheStatedDeviation) {
  const GradientNoise noise = noise_of(2);
  EXPECT_GE(noise.standard_deviation(), 2 * (1 + 0x1p-7));
  EXPECT_LE(noise.standard_deviation(), 2 * (1 + 0x1p-7) * (1 + 1e-5));
  EXPECT_TRUE(has_unit_variance(standardized(noise, noise.standard_deviation())));
  // Power: noise that is 1% off is seen.
  EXPECT_FALSE(has_unit_variance(standardized(noise, noise.standard_deviation() * 1.01)));
  EXPECT_FALSE(has_unit_variance(standardized(noise, noise.standard_deviation() * 0.99)));
}

TEST(GradientNoise, KeepsTheSumInItsPlaceAndType) {
  const GradientNoise noise = noise_of(1, 6);
  auto stream = SecureStream::create();
  const auto first = at::full({2, 2}, 1e6, at::kDouble);
  const auto second = at::full({2}, -1e6);
  const auto released = noise.release(ClippedSumForTests::of({.bound = 1}, {first, second}),
                                      noise.cost(), PermitForTests::mint(noise.cost()), *stream);
  ASSERT_TRUE(released);
  EXPECT_EQ((*released)[0].sizes(), first.sizes());
  EXPECT_EQ((*released)[0].scalar_type(), at::kDouble);
  EXPECT_EQ((*released)[1].scalar_type(), at::kFloat);
  EXPECT_LT(((*released)[0] - first).abs().max().item<double>(), 20);
  EXPECT_LT(((*released)[1] - second).abs().max().item<double>(), 20);
}

TEST(GradientNoise, ReleasesWholeStepsOfTheGrid) {
  const GradientNoise noise = noise_of(1, 4);
  auto stream = SecureStream::create();
  const auto released =
      noise.release(ClippedSumForTests::of({.bound = 1}, {at::rand({4}, at::kDouble)}),
                    noise.cost(), PermitForTests::mint(noise.cost()), *stream);
  ASSERT_TRUE(released);
  const at::Tensor steps = released->front() * 0x1p29;  // the sensitivity is 1.008: 2^-29 is a step
  EXPECT_TRUE(at::equal(steps, steps.round()));
}

TEST(GradientNoise, TakesThePermitOfItsCostOrOfASampleOfIt) {
  const GradientNoise noise = noise_of(1, 4);
  const ClippedSum sum = ClippedSumForTests::of({.bound = 1}, {at::zeros({4})});
  auto stream = SecureStream::create();
  const Cost sampled = *Cost::poisson_sample(*Rational::ratio(1, 10), noise.cost());
  EXPECT_TRUE(noise.release(sum, sampled, PermitForTests::mint(sampled), *stream));
  const Cost other = *Cost::leaf(cost::Gaussian{2});
  EXPECT_FALSE(noise.release(sum, other, PermitForTests::mint(other), *stream));
  EXPECT_FALSE(noise.release(sum, noise.cost(), PermitForTests::mint(other), *stream));
}

TEST(GradientNoise, RefusesSumsItWasNotMadeFor) {
  const GradientNoise noise = noise_of(1, 4);
  auto stream = SecureStream::create();
  for (const auto& sum : {ClippedSumForTests::of({.bound = 2}, {at::zeros({4})}),
                          ClippedSumForTests::of({.bound = 1}, {at::zeros({5})})}) {
    EXPECT_FALSE(noise.release(sum, noise.cost(), PermitForTests::mint(noise.cost()), *stream));
  }
  EXPECT_FALSE(GradientNoise::create(Rational::power_of_two(-5), {.bound = 1}, 4));
  EXPECT_FALSE(GradientNoise::create(1024, {.bound = 1}, 4));
  EXPECT_FALSE(GradientNoise::create(1, {.bound = 0}, 4));
  EXPECT_FALSE(GradientNoise::create(1, {.bound = 1}, 0));
}

}  // namespace
}  // namespace tacit::train
