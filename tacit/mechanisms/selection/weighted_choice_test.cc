#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "tacit/mechanisms/selection/testing/run_mechanism.h"
#include "tacit/mechanisms/selection/weighted_choice_internal.h"
#include "tacit/mechanisms/testing/goodness_of_fit.h"

namespace tacit {
namespace {

using testing::number;
using testing::system_stream;

constexpr std::uint64_t kTrials = 40'000;

std::vector<double> law(std::span<const ScoreLevel> levels, double rate) {
  std::vector<double> weights;
  double sum = 0;
  for (const ScoreLevel& level : levels) {
    weights.push_back(static_cast<double>(level.mass) *
                      std::exp(-rate * static_cast<double>(level.distance)));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

testing::CellCounts draw(const WeightedChoice& choice, std::span<const ScoreLevel> levels) {
  return testing::count_cells(kTrials, levels.size(),
                              [&] { return choice.choose(levels, system_stream()); });
}

constexpr std::array<ScoreLevel, 4> kLevels{{{0, 1}, {1, 3}, {4, 20}, {9, 1000}}};

TEST(WeightedChoice, FollowsItsLawAtEveryFirstPrecision) {
  const std::vector<double> expected = law(kLevels, 0.3);
  // With 3 bits nearly every choice has to be narrowed, with 128 practically none.
  for (const std::size_t precision : {3U, 17U, 128U}) {
    const WeightedChoice choice(number("0.3"), precision);
    testing::expect_accepts(testing::fits_law(draw(choice, kLevels), expected));
  }
  testing::expect_rejects_wrong(
      testing::fits_law(draw(WeightedChoice(number("0.33")), kLevels), expected),
      "rate 10% too large");
}

TEST(WeightedChoice, OnlyDifferencesOfDistancesMatter) {
  std::vector<ScoreLevel> far(kLevels.begin(), kLevels.end());
  for (ScoreLevel& level : far) level.distance += 1'000'000;
  const WeightedChoice choice(number("0.3"));
  testing::expect_accepts(testing::fits_law(draw(choice, far), law(kLevels, 0.3)));
}

TEST(WeightedChoice, NeverLosesATailOfHugeMass) {
  // exp(-40) · 2^60 is about 5: a level far away may still hold most of the probability.
  const std::array<ScoreLevel, 3> levels{
      {{0, 1}, {40, std::uint64_t{1} << 60}, {std::numeric_limits<std::uint64_t>::max(), 7}}};
  for (const std::size_t precision : {8U, 128U}) {
    const WeightedChoice choice(Rational(1), precision);
    testing::expect_accepts(testing::fits_law(draw(choice, levels), law(levels, 1)));
  }
}

TEST(WeightedChoice, HasNoChoiceWithOneLevel) {
  const std::array<ScoreLevel, 1> levels{{{7, 3}}};
  EXPECT_EQ(WeightedChoice(Rational(1)).choose(levels, system_stream()), 0U);
}

TEST(ScoreLevels, GroupScoresBestFirst) {
  const std::vector<std::int64_t> scores{3, 3, 3, 2, -1, -1};
  EXPECT_EQ(score_levels(scores), (std::vector<ScoreLevel>{{0, 3}, {1, 1}, {4, 2}}));
}

TEST(ScoreLevels, HoldTheWholeRangeOfScores) {
  const std::vector<std::int64_t> scores{std::numeric_limits<std::int64_t>::max(),
                                         std::numeric_limits<std::int64_t>::min()};
  EXPECT_EQ(score_levels(scores),
            (std::vector<ScoreLevel>{{0, 1}, {std::numeric_limits<std::uint64_t>::max(), 1}}));
}

}  // namespace
}  // namespace tacit
