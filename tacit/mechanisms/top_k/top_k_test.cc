#include "tacit/mechanisms/top_k/top_k.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacit/mechanisms/selection/testing/run_mechanism.h"
#include "tacit/mechanisms/testing/goodness_of_fit.h"
#include "tacit/mechanisms/testing/privacy_audit.h"

namespace tacit {
namespace {

using testing::number;
using testing::permit_for;
using testing::refusal;
using testing::run;
using testing::system_stream;

constexpr std::uint64_t kTrials = 40'000;
using Scores = std::vector<std::int64_t>;

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
  std::vector<double> weights;
  double sum = 0;
  for (const std::int64_t score : scores) {
    sum += weights.emplace_back(std::exp(rate * static_cast<double>(score)));
  }
  std::vector<double> law(9, 0);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (i != j) law[3 * i + j] = weights[i] / sum * weights[j] / (sum - weights[i]);
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
  const auto best = mechanism(3, {.epsilon = 1});
  Permit permit = permit_for(best.cost());
  EXPECT_NE(refusal(best.release(Scores{1, 2}, std::move(permit), system_stream())), "");
  // NOLINTNEXTLINE(bugprone-use-after-move): what was refused was not moved from.
  EXPECT_FALSE(permit.spent());
}

}  // namespace
}  // namespace tacit
