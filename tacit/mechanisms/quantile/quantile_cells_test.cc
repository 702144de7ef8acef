#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <vector>

#include "tacit/mechanisms/quantile/quantile_cells_internal.h"

namespace tacit {
namespace {

using Values = std::vector<std::int64_t>;

constexpr std::int64_t kLower = -5;
constexpr std::int64_t kUpper = 12;

Values arbitrary_values() {
  Values values = *rc::gen::container<Values>(rc::gen::inRange<std::int64_t>(kLower, kUpper + 1));
  std::ranges::sort(values);
  return values;
}

TEST(QuantileCells, CoverEveryPointWithItsCounts) {
  EXPECT_TRUE(rc::check([] {
    const Values values = arbitrary_values();
    const auto cells = quantile_cells(values, kLower, kUpper);
    std::int64_t point = kLower;
    for (const QuantileCell& cell : cells) {
      RC_ASSERT(cell.begin == point);
      for (std::uint64_t i = 0; i < cell.mass; ++i, ++point) {
        RC_ASSERT(cell.less == static_cast<std::uint64_t>(std::ranges::count_if(
                                   values, [&](std::int64_t v) { return v < point; })));
        RC_ASSERT(cell.greater == static_cast<std::uint64_t>(std::ranges::count_if(
                                      values, [&](std::int64_t v) { return v > point; })));
      }
    }
    RC_ASSERT(point == kUpper + 1);
  }));
}

TEST(QuantileCells, LevelsGatherThePointsByDistance) {
  EXPECT_TRUE(rc::check([] {
    const Values values = arbitrary_values();
    const auto below = *rc::gen::inRange<std::uint64_t>(1, 7);
    const auto above = *rc::gen::inRange<std::uint64_t>(1, 7);
    const QuantileRank rank{below, above, values.size()};
    const auto cells = quantile_cells(values, kLower, kUpper);
    std::map<std::uint64_t, std::uint64_t> expected;
    for (const QuantileCell& cell : cells) expected[quantile_distance(cell, rank)] += cell.mass;
    std::vector<ScoreLevel> levels;
    for (const auto& [distance, mass] : expected) levels.push_back({distance, mass});
    RC_ASSERT(quantile_levels(cells, rank) == levels);
    // There is always a quantile.
    RC_ASSERT(levels.front().distance == 0U);
  }));
}

TEST(QuantileCells, DistanceCountsValuesOnTheWrongSide) {
  const QuantileRank median_of_four{1, 1, 4};
  EXPECT_EQ(quantile_distance({.less = 2, .greater = 2}, median_of_four), 0U);
  EXPECT_EQ(quantile_distance({.less = 1, .greater = 2}, median_of_four), 0U);
  EXPECT_EQ(quantile_distance({.less = 3, .greater = 1}, median_of_four), 2U);
  EXPECT_EQ(quantile_distance({.less = 0, .greater = 4}, median_of_four), 4U);
  const QuantileRank quarter_of_four{1, 3, 4};
  EXPECT_EQ(quantile_distance({.less = 1, .greater = 3}, quarter_of_four), 0U);
  EXPECT_EQ(quantile_distance({.less = 2, .greater = 2}, quarter_of_four), 4U);
}

TEST(QuantileCells, OfNothingAreOneCell) {
  EXPECT_EQ(quantile_cells({}, 3, 3), (std::vector<QuantileCell>{{3, 1, 0, 0}}));
  const std::int64_t far = std::int64_t{1} << 62;
  EXPECT_EQ(quantile_cells({}, -far, far),
            (std::vector<QuantileCell>{{-far, (std::uint64_t{1} << 63) + 1, 0, 0}}));
}

}  // namespace
}  // namespace tacit
