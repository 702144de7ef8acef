#include "tacit/mechanisms/permute_and_flip/permute_and_flip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tacit/mechanisms/selection/testing/run_mechanism.h"
#include "tacit/mechanisms/testing/goodness_of_fit.h"
#include "tacit/mechanisms/testing/privacy_audit.h"
#include "tacit/privacy/pure.h"
#include "tacit/privacy/zcdp.h"

namespace tacit {
namespace {

using testing::number;
using testing::permit_for;
using testing::refusal;
using testing::run;
using testing::system_stream;

constexpr std::uint64_t kTrials = 200'000;
using Scores = std::vector<std::int64_t>;

PermuteAndFlip mechanism(SelectionPrivacy privacy) {
  return PermuteAndFlip::create(std::move(privacy)).value();
}

testing::CellCounts draw(const PermuteAndFlip& mechanism, const Scores& scores) {
  return testing::count_cells(kTrials, scores.size(), [&] { return run(mechanism, scores); });
}

// By its definition: the average over all orders of the chance to be the first taken.
std::vector<double> law(const Scores& scores, double rate) {
  const std::int64_t best = std::ranges::max(scores);
  std::vector<double> probabilities(scores.size(), 0);
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  double orders = 0;
  do {
    double reached = 1;
    for (const std::size_t i : order) {
      const double taken = std::exp(-rate * static_cast<double>(best - scores[i]));
      probabilities[i] += reached * taken;
      reached *= 1 - taken;
    }
    ++orders;
  } while (std::ranges::next_permutation(order).found);
  for (double& probability : probabilities) probability /= orders;
  return probabilities;
}

TEST(PermuteAndFlip, FollowsItsLaw) {
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
}

TEST(PermuteAndFlip, KeepsItsPromiseOnNeighbours) {
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
}

TEST(PermuteAndFlip, HoldsTheWholeRangeOfScores) {
  const Scores scores{std::numeric_limits<std::int64_t>::min(), 0,
                      std::numeric_limits<std::int64_t>::max()};
  for (int i = 0; i < 100; ++i) EXPECT_EQ(run(mechanism({.epsilon = 1}), scores), 2U);
}

TEST(PermuteAndFlip, ChoosesAmongAHundredThousand) {
  Scores scores(100'000, 0);
  scores[77'777] = 1000;
  EXPECT_EQ(run(mechanism({.epsilon = 1}), scores), 77'777U);
}

// The quarter belongs to mechanisms of bounded range, whose log-ratios for one pair of neighbours
// lie in one interval of length epsilon. Those of permute-and-flip do not (proof.md).
TEST(Regression, PermuteAndFlipChargedAQuarterOfItsZcdpCost) {
  const auto choice = mechanism({.epsilon = 1});
  EXPECT_EQ(choice.cost(), Cost::leaf(cost::PermuteAndFlip{1}).value());
  EXPECT_EQ(pure_epsilon(choice.cost()).value(), Rational(1));
  EXPECT_EQ(zcdp_bound(choice.cost()).value().rho, number("1/2"));

  const std::vector<double> one = law({0, -1}, 0.5);
  const std::vector<double> other = law({-1, 0}, 0.5);
  const double spread = std::log(one[0] / other[0]) - std::log(one[1] / other[1]);
  EXPECT_GT(spread, 1.6);
  testing::expect_accepts(testing::fits_law(draw(choice, {0, -1}), one));
}

TEST(PermuteAndFlip, RefusesAnEmptyListWithoutSpending) {
  const auto choice = mechanism({.epsilon = 1});
  Permit permit = permit_for(choice.cost());
  EXPECT_NE(refusal(choice.release({}, std::move(permit), system_stream())), "");
  // NOLINTNEXTLINE(bugprone-use-after-move): what was refused was not moved from.
  EXPECT_FALSE(permit.spent());
}

}  // namespace
}  // namespace tacit
