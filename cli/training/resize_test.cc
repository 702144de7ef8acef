#include "cli/training/resize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::training {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

Picture gray(std::int64_t height, std::int64_t width, std::vector<std::uint8_t> bytes) {
  return {.height = height, .width = width, .channels = 1, .bytes = std::move(bytes)};
}

TEST(Resize, KeepsOneColorAndTheSameSize) {
  const Picture even{
      .height = 7, .width = 5, .channels = 3, .bytes = std::vector<std::uint8_t>(105, 90)};
  for (const Fit fit : {Fit::kStretch, Fit::kCrop}) {
    const Picture out = resized(even, 4, 9, fit);
    EXPECT_EQ(out.bytes.size(), 4U * 9 * 3);
    EXPECT_THAT(out.bytes, Each(90));
  }
  const Picture same = gray(2, 2, {1, 2, 3, 4});
  EXPECT_EQ(resized(same, 2, 2, Fit::kStretch).bytes, same.bytes);
}

TEST(Resize, TakesAllPixelsIntoAccountWhereItShrinks) {
  // A triangle eight pixels wide around the middle of four: 5, 7, 7 and 5 parts of 24.
  EXPECT_THAT(resized(gray(1, 4, {0, 80, 160, 240}), 1, 1, Fit::kStretch).bytes, ElementsAre(120));
  EXPECT_THAT(resized(gray(1, 4, {240, 0, 0, 0}), 1, 1, Fit::kStretch).bytes, ElementsAre(50));
}

TEST(Resize, GoesBetweenPixelsWhereItGrows) {
  EXPECT_THAT(resized(gray(1, 2, {0, 100}), 1, 4, Fit::kStretch).bytes,
              ElementsAre(0, 25, 75, 100));
}

TEST(Resize, CropsEvenlyWhatStandsOut) {
  EXPECT_THAT(resized(gray(1, 3, {10, 20, 30}), 1, 1, Fit::kCrop).bytes, ElementsAre(20));
  EXPECT_THAT(resized(gray(3, 1, {10, 20, 30}), 1, 1, Fit::kCrop).bytes, ElementsAre(20));
  EXPECT_THAT(resized(gray(2, 4, {9, 1, 2, 9, 9, 3, 4, 9}), 2, 2, Fit::kCrop).bytes,
              ElementsAre(1, 2, 3, 4));
}

}  // namespace
}  // namespace tacit::training
