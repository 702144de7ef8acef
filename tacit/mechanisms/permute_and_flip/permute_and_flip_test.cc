#include "tacit/mechanisms/permute_and_flip/permute_and_flip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tacit/mechanisms/selection/testing/selection_setup.h"
#include "tacit/privacy/pure.h"
#include "tacit/privacy/zcdp.h"

namespace tacit {
namespace {

using testing::number;
using testing::run;
using testing::Scores;

constexpr std::uint64_t kTrials = 200'000;

PermuteAndFlip mechanism(SelectionPrivacy privacy) {
  return testing::selecting<PermuteAndFlip>(std::move(privacy));
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
  testing::expect_law_of_rate_quarter<PermuteAndFlip>(scores, law(scores, 0.25), kTrials);
}

TEST(PermuteAndFlip, KeepsItsPromiseOnNeighbours) {
  const auto audit = [](const SelectionPrivacy& privacy) {
    return testing::audit_sharpest_neighbours<PermuteAndFlip>(privacy, kTrials);
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
  testing::expect_accepts(testing::fits_law(testing::draw(choice, {0, -1}, kTrials), one));
}

TEST(PermuteAndFlip, RefusesAnEmptyListWithoutSpending) {
  testing::expect_refused_unspent(mechanism({.epsilon = 1}), {});
}

}  // namespace
}  // namespace tacit
