#include "tacit/mechanisms/sensitivity.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <limits>
#include <vector>

namespace tacit {
namespace {

constexpr Contribution kAdd{};
constexpr Contribution kReplaceFixed{Neighbours::kReplace, 1, true};
constexpr Contribution kReplaceFiltered{Neighbours::kReplace, 1, false};

TEST(Sensitivity, OfASumAsTheTableOfTheProofSays) {
  const StepRange range{-3, 10};
  EXPECT_EQ(sum_sensitivity(range, kAdd)->l1, 10U);
  EXPECT_EQ(sum_sensitivity(range, kReplaceFixed)->l1, 13U);
  EXPECT_EQ(sum_sensitivity({5, 10}, kReplaceFixed)->l1, 5U);
  EXPECT_EQ(sum_sensitivity({5, 10}, kReplaceFiltered)->l1, 10U);
  EXPECT_EQ(sum_sensitivity({-10, -5}, kReplaceFiltered)->l1, 10U);
  EXPECT_EQ(sum_sensitivity({-10, -5}, kAdd)->l1, 10U);
  EXPECT_EQ(sum_sensitivity(range, {Neighbours::kAddRemove, 4})->l1, 40U);
  EXPECT_EQ(sum_sensitivity(range, {Neighbours::kReplace, 4, true})->squared_l2, 52U * 52U);
}

TEST(Sensitivity, OfACount) {
  EXPECT_EQ(sum_sensitivity({1, 1}, kAdd)->l1, 1U);
  EXPECT_EQ(sum_sensitivity({1, 1}, kReplaceFixed)->l1, 0U);
  EXPECT_EQ(sum_sensitivity({1, 1}, kReplaceFiltered)->l1, 1U);
}

TEST(Sensitivity, OfSeveralSums) {
  const std::array ranges{StepRange{-3, 1}, StepRange{0, 4}, StepRange{0, 0}};
  const Sensitivity sums = *sums_sensitivity(ranges, kAdd);
  EXPECT_EQ(sums.l1, 7U);
  EXPECT_EQ(sums.squared_l2, 25U);
  EXPECT_EQ(sums.coordinates, 3U);
  EXPECT_FALSE(sums.one_coordinate);
  const std::array one{StepRange{-3, 1}, StepRange{0, 0}};
  EXPECT_TRUE(sums_sensitivity(one, kAdd)->one_coordinate);
}

TEST(Sensitivity, OfAHistogram) {
  const Sensitivity add = *histogram_sensitivity(5, kAdd);
  EXPECT_EQ(add.l1, 1U);
  EXPECT_TRUE(add.one_coordinate);
  const Sensitivity replace = *histogram_sensitivity(5, kReplaceFixed);
  EXPECT_EQ(replace.l1, 2U);
  EXPECT_EQ(replace.squared_l2, 2U);
  EXPECT_FALSE(replace.one_coordinate);
  const Sensitivity many = *histogram_sensitivity(5, {Neighbours::kAddRemove, 3});
  EXPECT_EQ(many.l1, 3U);
  EXPECT_EQ(many.squared_l2, 9U);
  EXPECT_FALSE(many.one_coordinate);
  EXPECT_EQ(histogram_sensitivity(1, kReplaceFixed)->l1, 1U);
}

TEST(Sensitivity, OverflowIsRefusedNotWrapped) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(sum_sensitivity({-kHuge, kHuge}, kReplaceFixed));
  EXPECT_FALSE(sum_sensitivity({std::numeric_limits<std::int64_t>::min(), 0}, kAdd));
  EXPECT_FALSE(sum_sensitivity({0, 1 << 30}, {Neighbours::kAddRemove, 1 << 20}));
  const std::vector<StepRange> wide(4, {0, std::int64_t{1} << 31});
  EXPECT_FALSE(sums_sensitivity(wide, kAdd));
  EXPECT_FALSE(sum_sensitivity({0, 1}, {Neighbours::kAddRemove, 0}));
  EXPECT_FALSE(histogram_sensitivity(0, kAdd));
}

// All ways in which a unit can have `rows` values (fewer too, unless fixed), as sums.
std::vector<std::int64_t> possible_sums(StepRange range, const Contribution& contribution) {
  std::vector<std::int64_t> sums;
  const std::function<void(std::uint64_t, std::int64_t)> extend = [&](std::uint64_t rows,
                                                                      std::int64_t sum) {
    if (rows == contribution.rows || !contribution.fixed_rows) sums.push_back(sum);
    if (rows == contribution.rows) return;
    for (std::int64_t value = range.lower; value <= range.upper; ++value) {
      extend(rows + 1, sum + value);
    }
  };
  extend(0, 0);
  return sums;
}

TEST(Sensitivity, IsExactlyTheWorstCaseFoundByTryingEverything) {
  for (const StepRange range : {StepRange{-2, 3}, {1, 4}, {-4, -1}, {1, 1}, {0, 2}}) {
    for (const std::uint64_t rows : {1U, 2U, 3U}) {
      for (const bool fixed : {false, true}) {
        const Contribution add{Neighbours::kAddRemove, rows, fixed};
        const Contribution replace{Neighbours::kReplace, rows, fixed};
        std::int64_t worst_add = 0;
        for (const std::int64_t sum : possible_sums(range, add)) {
          worst_add = std::max(worst_add, std::abs(sum));
        }
        const std::vector<std::int64_t> sums = possible_sums(range, replace);
        const auto [least, most] = std::minmax_element(sums.begin(), sums.end());
        EXPECT_EQ(sum_sensitivity(range, add)->l1, static_cast<std::uint64_t>(worst_add));
        EXPECT_EQ(sum_sensitivity(range, replace)->l1, static_cast<std::uint64_t>(*most - *least));
      }
    }
  }
}

// A unit's sums over at most `groups` of four groups, at most `rows` rows in each.
std::vector<std::int64_t> arbitrary_group_sums(const GroupContribution& contribution,
                                               StepRange range) {
  std::vector<std::int64_t> sums(4, 0);
  for (std::uint64_t i = 0; i < contribution.groups; ++i) {
    const auto group = *rc::gen::inRange<std::size_t>(0, sums.size());
    const auto rows = *rc::gen::inRange<std::uint64_t>(0, contribution.rows + 1);
    sums[group] = 0;  // a group drawn twice is one group
    for (std::uint64_t row = 0; row < rows; ++row) {
      sums[group] += *rc::gen::elementOf(std::vector{range.lower, range.upper});
    }
  }
  return sums;
}

TEST(Sensitivity, OfGroupSumsHoldsForEveryUnit) {
  EXPECT_TRUE(rc::check([] {
    const GroupContribution contribution{
        .neighbours = *rc::gen::element(Neighbours::kAddRemove, Neighbours::kReplace),
        .groups = *rc::gen::inRange<std::uint64_t>(1, 4),
        .rows = *rc::gen::inRange<std::uint64_t>(1, 4)};
    const auto lower = *rc::gen::inRange<std::int64_t>(-6, 6);
    const StepRange range{lower, *rc::gen::inRange<std::int64_t>(lower, 7)};
    const Sensitivity claimed = group_sums_sensitivity(range, contribution).value();
    const auto one = arbitrary_group_sums(contribution, range);
    const auto other = contribution.neighbours == Neighbours::kReplace
                           ? arbitrary_group_sums(contribution, range)
                           : std::vector<std::int64_t>(one.size(), 0);
    std::uint64_t l1 = 0;
    std::uint64_t squared_l2 = 0;
    std::uint64_t moved = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
      const auto by = static_cast<std::uint64_t>(std::abs(one[i] - other[i]));
      l1 += by;
      squared_l2 += by * by;
      moved += by > 0 ? 1 : 0;
    }
    RC_ASSERT(l1 <= claimed.l1);
    RC_ASSERT(squared_l2 <= claimed.squared_l2);
    RC_ASSERT(moved <= claimed.coordinates);
    RC_ASSERT(claimed.any_length);
  }));
}

TEST(Sensitivity, OfGroupSumsIsReached) {
  const GroupContribution replace{Neighbours::kReplace, 2, 3};
  // Two groups of 3 · 5 left, two others entered.
  EXPECT_EQ(group_sums_sensitivity({0, 5}, replace)->l1, 60U);
  EXPECT_EQ(group_sums_sensitivity({0, 5}, replace)->squared_l2, 4U * 15 * 15);
  // In the same two groups, from -15 to 15.
  EXPECT_EQ(group_sums_sensitivity({-5, 5}, replace)->squared_l2, 2U * 30 * 30);
  EXPECT_EQ(group_sums_sensitivity({-5, 5}, {.groups = 2, .rows = 3})->squared_l2, 2U * 15 * 15);
  EXPECT_TRUE(group_sums_sensitivity({1, 1}, {})->one_coordinate);
  EXPECT_FALSE(group_sums_sensitivity({1, 1}, {Neighbours::kReplace})->one_coordinate);
  EXPECT_FALSE(group_sums_sensitivity({1, 1}, {.groups = 2})->one_coordinate);
}

}  // namespace
}  // namespace tacit
