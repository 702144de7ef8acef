#include "tacit/mechanisms/statistics/whole_totals.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tacit/mechanisms/statistics/testing/columns.h"
#include "tacit/mechanisms/testing/privacy_audit.h"
#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit {
namespace {

using testing::number;

constexpr GroupContribution kTwoOfThree{.groups = 2, .rows = 3};

TEST(WholeTotals, CostDoesNotDependOnTheNumberOfGroups) {
  EXPECT_EQ(WholeTotals::group_counts({}, PureTarget{number("0.5")})->cost(),
            *Cost::leaf(cost::DiscreteLaplace{2, 1}));
  EXPECT_EQ(WholeTotals::group_counts(kTwoOfThree, PureTarget{1})->cost(),
            *Cost::leaf(cost::Pure{1}));
  // Squared L2 distance 2 · 3^2, two coordinates move.
  EXPECT_EQ(WholeTotals::group_counts(kTwoOfThree, ZcdpTarget{9})->cost(),
            *Cost::leaf(cost::DiscreteGaussian{1, 18, 2}));
}

TEST(WholeTotals, TakeAnyNumberOfGroupsOnEveryGrid) {
  SecureStream stream = *SecureStream::create();
  for (const NoiseTarget& target : testing::targets()) {
    const auto counts = *WholeTotals::group_counts(kTwoOfThree, target);
    const double far = *counts.half_width(1 - 1e-12);
    for (const std::size_t groups : {0U, 1U, 5000U}) {
      const std::vector<std::uint64_t> totals(groups, 1'000'000);
      const auto noisy = *counts.release(totals, PermitForTests::mint(counts.cost()), stream);
      ASSERT_EQ(noisy.value.size(), groups);
      EXPECT_EQ(noisy.interval.half_width, *counts.half_width(0.95));
      for (const std::int64_t value : noisy.value) {
        EXPECT_NEAR(static_cast<double>(value), 1e6, far);
      }
    }
  }
}

TEST(WholeTotals, HoldHugeTotals) {
  SecureStream stream = *SecureStream::create();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::vector<int128> totals{int128{1} << 126, -(int128{1} << 126), int128{kMost} - 5000};
  for (const NoiseTarget& target : testing::targets()) {
    const auto sums = *WholeTotals::create(Sensitivity{.coordinates = 3}, target);
    const auto noisy = *sums.release(totals, PermitForTests::mint(sums.cost()), stream);
    EXPECT_EQ(noisy.value[0], kMost);
    EXPECT_EQ(noisy.value[1], std::numeric_limits<std::int64_t>::min());
    EXPECT_LT(noisy.value[2], kMost);
  }
}

TEST(WholeTotals, RefuseWhatHasNoMeaning) {
  EXPECT_FALSE(WholeTotals::create(Sensitivity{.l1 = 0, .squared_l2 = 0}, PureTarget{1}));
  EXPECT_FALSE(WholeTotals::group_counts({.groups = 0}, PureTarget{1}));
  EXPECT_FALSE(WholeTotals::group_counts({.rows = 0}, PureTarget{1}));
  EXPECT_FALSE(WholeTotals::group_counts({}, PureTarget{0}));
  EXPECT_FALSE(WholeTotals::group_counts({.groups = std::uint64_t{1} << 40}, PureTarget{1}));
}

// A unit with rows in two groups, told by the sum of both counts.
TEST(WholeTotals, NeighboursCannotBeToldApart) {
  SecureStream stream = *SecureStream::create();
  const testing::IntegerCells cells(190, 2, 16);
  const auto drawn = [&](std::uint64_t groups_charged, std::int64_t count) {
    const auto counts = *WholeTotals::group_counts({.groups = groups_charged}, PureTarget{1});
    return testing::count_cells(150'000, cells.size(), [&] {
      const std::vector<std::int64_t> totals{count, count, 7};
      const auto noisy = *counts.release(totals, PermitForTests::mint(counts.cost()), stream);
      return cells(noisy.value[0] + noisy.value[1]);
    });
  };
  testing::expect_accepts(testing::audit_privacy({1.0, 0}, {drawn(2, 100), drawn(2, 101)}));
  testing::expect_rejects_wrong(testing::audit_privacy({1.0, 0}, {drawn(1, 100), drawn(1, 101)}),
                                "a unit of two groups charged for one");
}

}  // namespace
}  // namespace tacit
