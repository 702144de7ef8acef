#include "tacit/mechanisms/exponential/exponential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacit/mechanisms/selection/testing/run_mechanism.h"
#include "tacit/mechanisms/testing/goodness_of_fit.h"
#include "tacit/mechanisms/testing/privacy_audit.h"
#include "tacit/privacy/zcdp.h"

namespace tacit {
namespace {

using testing::number;
using testing::permit_for;
using testing::refusal;
using testing::run;
using testing::system_stream;

constexpr std::uint64_t kTrials = 40'000;
using Scores = std::vector<std::int64_t>;

ExponentialMechanism mechanism(SelectionPrivacy privacy) {
  return ExponentialMechanism::create(std::move(privacy)).value();
}

testing::CellCounts draw(const ExponentialMechanism& mechanism, const Scores& scores) {
  return testing::count_cells(kTrials, scores.size(), [&] { return run(mechanism, scores); });
}

std::vector<double> law(const Scores& scores, double rate) {
  std::vector<double> weights;
  double sum = 0;
  for (const std::int64_t score : scores) {
    weights.push_back(std::exp(rate * static_cast<double>(score)));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

TEST(Exponential, FollowsItsLaw) {
  const Scores scores{0, 3, -2, 3, 7};
  const std::vector<double> expected = law(scores, 0.5 / 2);
  const auto fits = [&](const SelectionPrivacy& privacy) {
    return testing::fits_law(draw(mechanism(privacy), scores), expected);
  };
  testing::expect_accepts(fits({.epsilon = number("0.5")}));
  testing::expect_accepts(fits({.epsilon = number("1.5"), .sensitivity = 3}));
  testing::expect_accepts(fits({.epsilon = number("0.25"), .monotonic = true}));
  testing::expect_rejects_wrong(fits({.epsilon = number("0.55")}), "scale 10% small");
  testing::expect_rejects_wrong(fits({.epsilon = number("1.5"), .sensitivity = 2}),
                                "sensitivity off by one");
  testing::expect_rejects_wrong(fits({.epsilon = number("0.5"), .monotonic = true}),
                                "monotonic where scores are not");
}

TEST(Exponential, KeepsItsPromiseOnNeighbours) {
  // Between the two, one score rises by 2 and all others fall by 2.
  const Scores one(10, 0);
  Scores other(10, -2);
  other[0] = 2;
  const auto audit = [&](const SelectionPrivacy& privacy) {
    const auto runs = mechanism(privacy);
    return testing::audit_privacy({.epsilon = 1}, {draw(runs, one), draw(runs, other)});
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
    return testing::audit_privacy({.epsilon = 1}, {draw(runs, one), draw(runs, other)});
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
  const auto choice = mechanism({.epsilon = 1});
  Permit permit = permit_for(choice.cost());
  EXPECT_NE(refusal(choice.release({}, std::move(permit), system_stream())), "");
  // NOLINTNEXTLINE(bugprone-use-after-move): what was refused was not moved from.
  EXPECT_FALSE(permit.spent());
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
