#include "cli/training/augmentation.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/rand.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tacit/random/testing/goodness_of_fit.h"

namespace tacit::training {
namespace {

TEST(Views, AreOfTheirImageAndBehindEachOther) {
  const at::Tensor images = at::arange(2 * 3 * 4 * 5, at::kFloat).view({2, 3, 4, 5});
  auto stream = SecureStream::create().value();
  const at::Tensor views = views_of(images, {.flip = true, .views = 64}, stream);
  ASSERT_EQ(views.sizes(), (std::vector<std::int64_t>{128, 3, 4, 5}));
  std::int64_t turned = 0;
  for (std::int64_t i = 0; i < 128; ++i) {
    const bool is_turned = views[i].equal(images[i / 64].flip({2}));
    EXPECT_TRUE(is_turned || views[i].equal(images[i / 64])) << i;
    turned += is_turned ? 1 : 0;
  }
  // A fair coin gives fewer than 22 or more than 106 of 128 with probability 2e-14.
  EXPECT_GT(turned, 21);
  EXPECT_LT(turned, 107);
}

// Else who knows the seed would know whose views one example more has moved.
TEST(Views, DoNotFollowTheSeedOfTheWeights) {
  const at::Tensor image = at::arange(49, at::kFloat).view({1, 1, 7, 7});
  auto stream = SecureStream::create().value();
  for (const AugmentationSection& section : {AugmentationSection{.flip = true, .views = 128},
                                             AugmentationSection{.crop = 1, .views = 128}}) {
    at::manual_seed(1);
    const at::Tensor views = views_of(image, section, stream);
    at::manual_seed(1);
    EXPECT_FALSE(views.equal(views_of(image, section, stream))) << "by chance once in 2^128";
    const at::Tensor next = at::rand({4});
    at::manual_seed(1);
    EXPECT_TRUE(next.equal(at::rand({4}))) << "views take nothing from torch's generator";
  }
}

TEST(Views, OfFeaturesAreThoseOfMirroredImages) {
  const auto scattering = *train::Scattering::create(8, 8, at::kCPU);
  const at::Tensor images = at::arange(3 * 64, at::kFloat).sin().view({1, 3, 8, 8});
  const at::Tensor features = scattering.features(images);
  const at::Tensor turned = scattering.features(images.flip({3}));
  auto stream = SecureStream::create().value();
  const at::Tensor views = views_of(features, {.flip = true, .views = 64}, stream, &scattering);
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < 64; ++i) {
    const auto is = [&](const at::Tensor& wanted) {
      return (views[i] - wanted[0]).abs().max().item<double>() < 1e-5;
    };
    EXPECT_TRUE(is(turned) || is(features)) << i;
    count += is(turned) ? 1 : 0;
  }
  // A fair coin gives none or all of 64 with probability 2e-19.
  EXPECT_GT(count, 0);
  EXPECT_LT(count, 64);
}

TEST(Views, AreMovedByNoMoreThanTheMargin) {
  const at::Tensor image = at::arange(49, at::kFloat).view({1, 1, 7, 7});
  auto stream = SecureStream::create().value();
  const at::Tensor views = views_of(image, {.crop = 1, .views = 500}, stream);
  std::vector<bool> seen(9);
  for (std::int64_t i = 0; i < 500; ++i) {
    // The middle of a view is a pixel next to the middle of the image.
    const auto middle = views[i][0][3][3].item<std::int64_t>();
    const std::int64_t row = middle / 7 - 2;
    const std::int64_t column = middle % 7 - 2;
    ASSERT_TRUE(row >= 0 && row < 3 && column >= 0 && column < 3) << middle;
    seen[static_cast<std::size_t>(3 * row + column)] = true;
  }
  // One of nine places is missed by all 500 views with probability 9 (8/9)^500 < 1e-24.
  EXPECT_THAT(seen, ::testing::Each(true));
}

// Of the 18 ways to mirror an image of 7 by 7 pixels in order and to move it by one at most, the
// one that gave a view.
std::size_t way_of(const at::Tensor& view) {
  // Pixels in the middle come from inside the image whatever the way.
  const auto pixel = static_cast<std::size_t>(view[0][3][3].item<float>());
  const bool turned = view[0][3][4].item<float>() < view[0][3][3].item<float>();
  const std::size_t row = pixel / 7 - 2;
  const std::size_t column = turned ? 4 - pixel % 7 : pixel % 7 - 2;
  return 9 * (turned ? 1 : 0) + 3 * row + column;
}

TEST(Views, AreEquallyLikelyAndIndependent) {
  constexpr std::size_t kWays = 18;
  constexpr std::size_t kViews = 100'000;
  const at::Tensor images = at::arange(49, at::kFloat).view({1, 1, 7, 7}).repeat({2, 1, 1, 1});
  auto stream = SecureStream::create().value();
  const at::Tensor views = views_of(images, {.flip = true, .crop = 1, .views = kViews}, stream);
  std::vector<std::size_t> ways;
  for (const at::Tensor& view : views.unbind()) ways.push_back(way_of(view));

  std::vector<std::uint64_t> counts(kWays);
  for (const std::size_t way : ways) ++counts[way];
  EXPECT_TRUE(testing::fits(counts, std::vector<double>(kWays, 1.0 / kWays)));
  std::vector<double> rather_mirrored(kWays, 0.9 / kWays);
  std::fill(rather_mirrored.begin() + kWays / 2, rather_mirrored.end(), 1.1 / kWays);
  EXPECT_FALSE(testing::fits(counts, rather_mirrored)) << "a coin of 55% is noticed";

  // Of neighbours, and of two images.
  std::vector<std::uint64_t> of_neighbours(kWays * kWays);
  std::vector<std::uint64_t> of_images(kWays * kWays);
  for (std::size_t i = 0; i < kViews; ++i) {
    ++of_neighbours[kWays * ways[2 * i] + ways[2 * i + 1]];
    ++of_images[kWays * ways[i] + ways[kViews + i]];
  }
  const std::vector<double> pairs(kWays * kWays, 1.0 / (kWays * kWays));
  EXPECT_TRUE(testing::fits(of_neighbours, pairs));
  EXPECT_TRUE(testing::fits(of_images, pairs));
}

}  // namespace
}  // namespace tacit::training
