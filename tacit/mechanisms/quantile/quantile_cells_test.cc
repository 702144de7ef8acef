#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tacit/mechanisms/quantile/quantile_cells_internal.h"

namespace tacit {
namespace {

using Values = std::vector<std::int64_t>;

constexpr std::int64_t kLower = -5;
constexpr std::int64_t kUpper = 12;

Values arbitrary_values() {
  return *rc::gen::container<Values>(rc::gen::inRange<std::int64_t>(kLower, kUpper + 1));
}

QuantileCells cells_of(const Values& values) { return {values, kLower, kUpper}; }

std::int64_t count_if(const Values& values, auto&& condition) {
  return std::ranges::count_if(values, condition);
}

TEST(QuantileCells, CoverEveryPointWithItsCounts) {
  EXPECT_TRUE(rc::check([] {
    const Values values = arbitrary_values();
    const QuantileCells cells = cells_of(values);
    std::int64_t point = kLower;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const QuantileCell cell = cells[i];
      RC_ASSERT(cell.begin == point);
      for (std::uint64_t j = 0; j < cell.mass; ++j, ++point) {
        RC_ASSERT(std::cmp_equal(cell.less, count_if(values, [&](auto v) { return v < point; })));
        RC_ASSERT(
            std::cmp_equal(cell.greater, count_if(values, [&](auto v) { return v > point; })));
      }
    }
    RC_ASSERT(point == kUpper + 1);
    RC_ASSERT(cells.values() == values.size());
    RC_ASSERT(cells.points() == std::uint64_t{kUpper - kLower + 1});
  }));
}

// Straight from the definition in proof.md, in units of 1 / (below + above).
std::uint64_t distance(const Values& values, const QuantileRank& rank, std::int64_t point) {
  const auto share = static_cast<std::int64_t>(rank.below);
  const auto rest = static_cast<std::int64_t>(rank.above);
  const auto low = static_cast<std::int64_t>(rank.padding_low);
  const auto high = static_cast<std::int64_t>(rank.padding_high);
  const auto n = static_cast<std::int64_t>(values.size());
  const std::int64_t less =
      count_if(values, [&](auto v) { return v < point; }) + (point > kLower ? low : 0);
  const std::int64_t greater =
      count_if(values, [&](auto v) { return v > point; }) + (point < kUpper ? high : 0);
  return static_cast<std::uint64_t>(
      std::max({std::int64_t{0}, (share + rest) * (less - high) - share * n,
                (share + rest) * (greater - low) - rest * n}));
}

TEST(QuantileLevels, GatherThePointsByDistance) {
  EXPECT_TRUE(rc::check([] {
    const Values values = arbitrary_values();
    const QuantileRank rank{.below = *rc::gen::inRange<std::uint64_t>(1, 7),
                            .above = *rc::gen::inRange<std::uint64_t>(1, 7),
                            .padding_low = *rc::gen::inRange<std::uint64_t>(0, 9),
                            .padding_high = *rc::gen::inRange<std::uint64_t>(0, 9)};
    std::map<std::uint64_t, std::set<std::int64_t>> expected;
    for (std::int64_t point = kLower; point <= kUpper; ++point) {
      expected[distance(values, rank, point)].insert(point);
    }
    const QuantileCells cells = cells_of(values);
    QuantileLevels levels(cells, rank);
    std::size_t level = 0;
    for (const auto& [distance, points] : expected) {
      RC_ASSERT(levels.at(level) != nullptr);
      RC_ASSERT(*levels.at(level) == (ScoreLevel{distance, points.size()}));
      std::set<std::int64_t> found;
      for (std::uint64_t i = 0; i < points.size(); ++i) found.insert(levels.point(level, i));
      RC_ASSERT(found == points);
      ++level;
    }
    RC_ASSERT(levels.at(level) == nullptr);
    // There is always a quantile.
    RC_ASSERT(expected.begin()->first == 0U);
  }));
}

TEST(QuantileCells, ComeFromCountsAsFromValues) {
  const QuantileCells counted({{3, 2}, {-5, 1}, {7, 0}, {3, 1}}, kLower, kUpper);
  const QuantileCells listed = cells_of({3, -5, 3, 3});
  for (const QuantileRank rank : {QuantileRank{}, QuantileRank{1, 3, 2, 0}}) {
    QuantileLevels from_counts(counted, rank);
    QuantileLevels from_values(listed, rank);
    for (std::size_t i = 0; from_values.at(i) != nullptr; ++i) {
      ASSERT_NE(from_counts.at(i), nullptr);
      EXPECT_EQ(*from_counts.at(i), *from_values.at(i));
    }
  }
}

TEST(QuantileCells, OfNothingAreTheEndsAndWhatLiesBetween) {
  const QuantileCells one(Values{}, 3, 3);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0], (QuantileCell{3, 1, 0, 0}));
  const std::int64_t far = std::int64_t{1} << 62;
  const QuantileCells widest(Values{}, -far, far);
  ASSERT_EQ(widest.size(), 3U);
  EXPECT_EQ(widest[1], (QuantileCell{-far + 1, (std::uint64_t{1} << 63) - 1, 0, 0}));
  EXPECT_EQ(widest.points(), (std::uint64_t{1} << 63) + 1);
}

TEST(QuantileLevels, HoldDistancesThatPassAWord) {
  const std::uint64_t most = (std::uint64_t{1} << 62);
  const QuantileCells cells({{0, most}, {9, 1}}, 0, 9);
  QuantileLevels levels(cells, {.below = 1, .above = 999'999});
  EXPECT_EQ(levels.at(1)->distance, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(levels.at(1)->mass, 9U);
  EXPECT_EQ(levels.at(2), nullptr);
}

}  // namespace
}  // namespace tacit
