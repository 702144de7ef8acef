#include "tacit/mechanisms/top_k/top_k.h"

#include <gtest/gtest.h>

#include <vector>

#include "tacit/mechanisms/selection/testing/selection_setup.h"

namespace tacit {
namespace {

using testing::number;
using testing::refusal;
using testing::run;
using testing::Scores;

constexpr std::uint64_t kTrials = 160'000;

TopK mechanism(std::size_t k, SelectionPrivacy each) {
  return TopK::create(k, std::move(each)).value();
}

// The cell of an ordered pair of three candidates.
testing::CellCounts draw_pairs(const TopK& mechanism, const Scores& scores) {
  return testing::count_cells(kTrials, 9, [&] {
    const std::vector<std::size_t> pair = run(mechanism, scores);
    return 3 * pair[0] + pair[1];
  });
}

std::vector<double> pair_law(const Scores& scores, double rate) {
  const std::vector<double> first = testing::exponential_law(scores, rate);
  std::vector<double> law(9, 0);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (i != j) law[3 * i + j] = first[i] * first[j] / (1 - first[i]);
    }
  }
  return law;
}

TEST(TopK, FollowsTheLawOfPeeling) {
  const Scores scores{0, 5, 3};
  const auto fits = [&](const SelectionPrivacy& each) {
    return testing::fits_law(draw_pairs(mechanism(2, each), scores), pair_law(scores, 0.25));
  };
  testing::expect_accepts(fits({.epsilon = number("0.5")}));
  testing::expect_accepts(fits({.epsilon = number("1.5"), .sensitivity = 3}));
  testing::expect_rejects_wrong(fits({.epsilon = number("0.55")}), "scale 10% small");
  testing::expect_rejects_wrong(fits({.epsilon = number("1.5"), .sensitivity = 2}),
                                "sensitivity off by one");
}

TEST(TopK, KeepsItsPromiseOnNeighbours) {
  const Scores one{0, 0, 0};
  const Scores other{1, -1, -1};
  const auto audit = [&](double epsilon, const SelectionPrivacy& each) {
    const auto runs = mechanism(2, each);
    return testing::audit_privacy({.epsilon = epsilon},
                                  {draw_pairs(runs, one), draw_pairs(runs, other)});
  };
  testing::expect_accepts(audit(2, {.epsilon = 1}));
  testing::expect_rejects_wrong(audit(0.5, {.epsilon = 1}), "four times the epsilon");
}

TEST(TopK, CostsAsManyChoicesAsItMakes) {
  const Cost one = Cost::leaf(cost::Exponential{1}).value();
  EXPECT_EQ(mechanism(5, {.epsilon = 1}).cost(), Cost::repeat(5, one).value());
}

TEST(TopK, MayTakeAllAndTakesTheBestFirst) {
  const Scores scores{0, 1'000'000, -1'000'000};
  EXPECT_EQ(run(mechanism(3, {.epsilon = 1}), scores), (std::vector<std::size_t>{1, 0, 2}));
}

TEST(TopK, RefusesNoChoiceAndTooFewCandidates) {
  EXPECT_NE(refusal(TopK::create(0, {.epsilon = 1})), "");
  EXPECT_NE(refusal(TopK::create(1, {.epsilon = -1})), "");
  testing::expect_refused_unspent(mechanism(3, {.epsilon = 1}), {1, 2});
}

}  // namespace
}  // namespace tacit
