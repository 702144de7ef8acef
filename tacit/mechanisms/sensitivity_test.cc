#include "tacit/mechanisms/sensitivity.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tacit
