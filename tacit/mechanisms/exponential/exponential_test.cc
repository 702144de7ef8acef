#include "tacit/mechanisms/exponential/exponential.h"

#include <gtest/gtest.h>

#include <vector>

#include "tacit/mechanisms/selection/testing/selection_setup.h"
#include "tacit/privacy/zcdp.h"

namespace tacit {
namespace {

using testing::number;
using testing::permit_for;
using testing::refusal;
using testing::run;
using testing::Scores;
using testing::system_stream;

constexpr std::uint64_t kTrials = 40'000;

ExponentialMechanism mechanism(SelectionPrivacy privacy) {
  return testing::selecting<ExponentialMechanism>(std::move(privacy));
}

TEST(Exponential, FollowsItsLaw) {
  const Scores scores{0, 3, -2, 3, 7};
  testing::expect_law_of_rate_quarter<ExponentialMechanism>(
      scores, testing::exponential_law(scores, 0.25), kTrials);
}

TEST(Exponential, KeepsItsPromiseOnNeighbours) {
  const auto audit = [](const SelectionPrivacy& privacy) {
    return testing::audit_sharpest_neighbours<ExponentialMechanism>(privacy, kTrials);
  };
  testing::expect_accepts(audit({.epsilon = 1, .sensitivity = 2}));
  testing::expect_rejects_wrong(audit({.epsilon = 1, .sensitivity = 1}), "sensitivity off by one");
  testing::expect_rejects_wrong(audit({.epsilon = 1, .sensitivity = 2, .monotonic = true}),
                                "monotonic where scores are not");
}

TEST(Exponential, MonotonicScoresKeepTheirPromiseOnNeighbours) {
  const Scores one(10, 0);
  Scores other(10, 0);
  other[0] = 1;
  const auto audit = [&](const SelectionPrivacy& privacy) {
    const auto runs = mechanism(privacy);
    return testing::audit_privacy(
        {.epsilon = 1}, {testing::draw(runs, one, kTrials), testing::draw(runs, other, kTrials)});
  };
  testing::expect_accepts(audit({.epsilon = 1, .monotonic = true}));
  testing::expect_rejects_wrong(audit({.epsilon = 2, .monotonic = true}), "epsilon twice as large");
}

TEST(Exponential, ChoosesAmongAHundredThousand) {
  Scores scores(100'000);
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = static_cast<std::int64_t>(i);
  const auto choice = mechanism({.epsilon = 2});
  for (int i = 0; i < 3; ++i) EXPECT_GT(run(choice, scores), 99'900U);
}

TEST(Exponential, SaysItsCostBeforehand) {
  const auto choice = mechanism({.epsilon = 1, .neighbours = Neighbours::kReplace});
  EXPECT_EQ(choice.cost(), Cost::leaf(cost::Exponential{1}, Neighbours::kReplace).value());
  EXPECT_EQ(zcdp_bound(choice.cost()).value().rho, number("1/8"));
}

TEST(Exponential, RefusesAnEmptyListWithoutSpending) {
  testing::expect_refused_unspent(mechanism({.epsilon = 1}), {});
}

TEST(Exponential, WantsThePermitForThisCostOnce) {
  const auto choice = mechanism({.epsilon = 1});
  const Scores scores{1, 2};
  EXPECT_NE(refusal(choice.release(scores, permit_for(mechanism({.epsilon = 2}).cost()),
                                   system_stream())),
            "");
  Permit permit = permit_for(choice.cost());
  EXPECT_TRUE(choice.release(scores, std::move(permit), system_stream()));
  // NOLINTNEXTLINE(bugprone-use-after-move): that it is spent is what is tested.
  EXPECT_FALSE(choice.release(scores, std::move(permit), system_stream()));
}

}  // namespace
}  // namespace tacit
