#include "tacit/mechanisms/statistics/group_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacit/mechanisms/statistics/testing/columns.h"
#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit {
namespace {

using testing::number;

GroupSumsParameters column(const NoiseTarget& target, GroupContribution contribution = {}) {
  return {.lower = -10, .upper = 50, .contribution = contribution, .target = target};
}

TEST(GroupSums, CostDoesNotDependOnTheNumberOfGroups) {
  GroupSumsParameters parameters = column(PureTarget{1}, {.groups = 3, .rows = 2});
  parameters.whole_numbers = true;
  EXPECT_EQ(GroupSums::create(parameters)->cost(), *Cost::leaf(cost::Pure{1}));
  parameters.target = ZcdpTarget{1};
  // Each of three groups moves by 2 · 50.
  EXPECT_EQ(GroupSums::create(parameters)->cost(),
            *Cost::leaf(cost::DiscreteGaussian{15'000, 30'000, 3}));
}

TEST(GroupSums, ComeNearTheTruthInEveryGroup) {
  SecureStream stream = *SecureStream::create();
  for (const NoiseTarget& target : testing::targets()) {
    const auto sums = *GroupSums::create(column(target, {.groups = 2, .rows = 2}));
    const std::vector<double> rows(1000, 12.5);
    const std::vector<int128> totals(2000, sums.clamp().sum(rows));
    const auto noisy = *sums.release_totals(totals, PermitForTests::mint(sums.cost()), stream);
    ASSERT_EQ(noisy.value.size(), totals.size());
    testing::Coverage covered;
    testing::Coverage narrow(0.5);
    for (const double value : noisy.value) {
      covered.add({value, noisy.interval}, 12'500);
      narrow.add({value, noisy.interval}, 12'500);
    }
    testing::expect_accepts(covered.at_least(0.95));
    testing::expect_rejects_wrong(narrow.at_least(0.95), "half of the width");
  }
}

TEST(GroupSums, TakeWordsToo) {
  SecureStream stream = *SecureStream::create();
  GroupSumsParameters parameters = column(PureTarget{1'000'000});
  parameters.whole_numbers = true;
  const auto sums = *GroupSums::create(parameters);
  const std::vector<std::int64_t> totals{-3, 0, 700};
  const auto noisy = *sums.release_totals(totals, PermitForTests::mint(sums.cost()), stream);
  EXPECT_EQ(noisy.value, (std::vector<double>{-3, 0, 700}));
}

TEST(GroupSums, RefuseWhatHasNoMeaning) {
  GroupSumsParameters parameters = column(PureTarget{1});
  parameters.upper = -20;
  EXPECT_FALSE(GroupSums::create(parameters));
  EXPECT_FALSE(GroupSums::create(column(PureTarget{0})));
  EXPECT_FALSE(GroupSums::create(column(PureTarget{1}, {.groups = 0})));
  EXPECT_FALSE(GroupSums::create(column(PureTarget{1}, {.rows = 0})));
}

}  // namespace
}  // namespace tacit
