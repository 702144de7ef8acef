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

TEST(GradientNoise, OfReplacedExamplesIsTwiceAsLarge) {
  const auto noise = GradientNoise::create(2, {.bound = 1}, 4, Neighbours::kReplace);
  ASSERT_TRUE(noise);
  EXPECT_GE(noise->standard_deviation(), 4 * (1 + 0x1p-7));
  EXPECT_EQ(noise->cost().neighbours(), Neighbours::kReplace);
}

// Votes beside the sums cost nothing more: both have more noise than the whole.
TEST(GradientNoise, OfVotesHasTheStatedDeviation) {
  const auto noise = GradientNoise::with_votes(1, 2, {.bound = 1}, 1);
  ASSERT_TRUE(noise) << noise.error().message();
  EXPECT_EQ(noise->cost(), noise_of(1).cost());
  EXPECT_GE(noise->standard_deviation(), std::sqrt(4.0 / 3) * (1 + 0x1p-7));
  auto stream = SecureStream::create();
  const ClippedSum sum = ClippedSumForTests::of({.bound = 1}, {at::zeros({1})});
  std::vector<double> votes;
  for (int i = 0; i < 20'000; ++i) {
    const auto released =
        noise->release_with_votes(sum, noise->cost(), PermitForTests::mint(noise->cost()), *stream);
    ASSERT_TRUE(released);
    votes.push_back(released->votes);
  }
  const at::Tensor seen = at::tensor(votes, at::kDouble);
  const double stated = 2 * (1 + 0x1p-7);
  EXPECT_TRUE(has_unit_variance(seen / stated));
  // Power: noise that is a tenth too small is seen.
  EXPECT_FALSE(has_unit_variance(seen * 0.9 / stated));
  EXPECT_FALSE(noise_of(1, 1).release_with_votes(sum, noise->cost(),
                                                 PermitForTests::mint(noise->cost()), *stream));
  EXPECT_FALSE(GradientNoise::with_votes(1, 1, {.bound = 1}, 1));
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

// Noise is drawn in blocks over the coordinates of all parameters.
TEST(GradientNoise, FindsEveryParameterAcrossBlocks) {
  const std::vector<std::int64_t> sizes{3, 8190, 0, 1, 20'000, 7};
  std::vector<at::Tensor> sums;
  std::uint64_t coordinates = 0;
  for (const std::int64_t size : sizes) {
    sums.push_back(at::arange(size, at::kDouble) * 40 + 1e5 * static_cast<double>(sums.size()));
    coordinates += static_cast<std::uint64_t>(size);
  }
  const GradientNoise noise = noise_of(1, coordinates);
  auto stream = SecureStream::create();
  const auto released = noise.release(ClippedSumForTests::of({.bound = 1}, sums), noise.cost(),
                                      PermitForTests::mint(noise.cost()), *stream);
  ASSERT_TRUE(released);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const at::Tensor added = (*released)[i] - sums[i];
    if (added.numel() == 0) continue;
    EXPECT_LT(added.abs().max().item<double>(), 20) << i;
    // One coordinate gets no noise with a chance of 2^-30, three with 2^-90.
    if (added.numel() >= 3) {
      EXPECT_GT(added.abs().max().item<double>(), 0) << i;
    }
  }
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
