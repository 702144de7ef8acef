#include "tacit/mechanisms/statistics/group_means.h"

#include <gtest/gtest.h>

#include <vector>

#include "tacit/mechanisms/statistics/testing/columns.h"
#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit {
namespace {

GroupSumsParameters column(const NoiseTarget& target, GroupContribution contribution = {}) {
  return {.lower = 0, .upper = 100, .contribution = contribution, .target = target};
}

TEST(GroupMeans, ChargeForSumsAndCounts) {
  GroupSumsParameters parameters = column(ZcdpTarget{2}, {.groups = 3, .rows = 2});
  parameters.whole_numbers = true;
  // Offsets from 50 move three groups by 100, counts by 2; each has rho 1.
  EXPECT_EQ(GroupMeans::create(parameters)->cost(),
            *Cost::compose({*Cost::leaf(cost::DiscreteGaussian{15'000, 30'000, 3}),
                            *Cost::leaf(cost::DiscreteGaussian{6, 12, 3})}));
}

TEST(GroupMeans, IntervalsCoverTheTruthInEveryGroup) {
  SecureStream stream = *SecureStream::create();
  for (const NoiseTarget& target : testing::targets()) {
    const auto means = *GroupMeans::create(column(target, {.groups = 2}));
    for (const std::uint64_t rows : {1U, 30U, 5000U}) {
      const std::vector<double> values(rows, 93);
      const std::vector<int128> totals(5000, means.clamp().sum(values));
      const std::vector<std::uint64_t> counts(5000, rows);
      const auto released =
          *means.release_totals(totals, counts, PermitForTests::mint(means.cost()), stream);
      testing::Coverage at_95;
      testing::Coverage at_30;
      testing::Coverage narrow(1.0 / 3);
      for (const MeanRelease& group : released) at_95.add(group.mean, 93);
      for (const MeanRelease& group : released) narrow.add(group.mean, 93);
      const auto less_sure = *means.at_confidence(released, 0.3);
      for (const MeanRelease& group : less_sure) {
        EXPECT_EQ(group.mean.interval.confidence, 0.3);
        at_30.add(group.mean, 93);
      }
      testing::expect_accepts(at_95.at_least(0.95));
      testing::expect_accepts(at_30.at_least(0.3));
      if (rows < 5000) continue;
      testing::expect_rejects_wrong(narrow.at_least(0.95), "a third of the width");
      testing::expect_rejects_wrong(at_30.at_least(0.95), "an interval of 30% for 95%");
    }
  }
}

TEST(GroupMeans, RefuseWhatHasNoMeaningWithoutSpending) {
  EXPECT_FALSE(GroupMeans::create(column(PureTarget{0})));
  EXPECT_FALSE(GroupMeans::create(column(PureTarget{1}, {.groups = 0})));
  SecureStream stream = *SecureStream::create();
  const auto means = *GroupMeans::create(column(PureTarget{1}));
  Permit permit = PermitForTests::mint(means.cost());
  EXPECT_FALSE(means.release_totals(std::vector<int128>(3), std::vector<std::uint64_t>(2),
                                    std::move(permit), stream));
  // NOLINTNEXTLINE(bugprone-use-after-move): what was refused was not moved from.
  EXPECT_FALSE(permit.spent());
}

}  // namespace
}  // namespace tacit
