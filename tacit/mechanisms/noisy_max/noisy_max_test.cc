#include "tacit/mechanisms/noisy_max/noisy_max.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
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
using Noise = NoisyMax::Noise;

constexpr std::uint64_t kTrials = 200'000;
using Scores = std::vector<std::int64_t>;

NoisyMax mechanism(Noise noise, SelectionPrivacy privacy) {
  return NoisyMax::create(noise, std::move(privacy)).value();
}

testing::CellCounts draw(const NoisyMax& mechanism, const Scores& scores) {
  return testing::count_cells(kTrials, scores.size(), [&] { return run(mechanism, scores); });
}

// P(noise = z), and P(noise <= z).
double density(Noise noise, double scale, std::int64_t z) {
  const double y = std::exp(-1 / scale);
  if (noise == Noise::kGeometric) return z < 0 ? 0 : (1 - y) * std::pow(y, static_cast<double>(z));
  return (1 - y) / (1 + y) * std::pow(y, static_cast<double>(std::abs(z)));
}
double up_to(Noise noise, double scale, std::int64_t z) {
  const double y = std::exp(-1 / scale);
  if (noise == Noise::kGeometric) {
    return z < 0 ? 0 : 1 - std::pow(y, static_cast<double>(z + 1));
  }
  if (z < 0) return std::pow(y, static_cast<double>(-z)) / (1 + y);
  return 1 - std::pow(y, static_cast<double>(z + 1)) / (1 + y);
}

// Candidate i wins at value v where all before it stay below v and all after it at most v; with
// `last_wins` it is the other way round.
std::vector<double> law(Noise noise, const Scores& scores, double scale, bool last_wins = false) {
  std::vector<double> probabilities(scores.size(), 0);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::int64_t z = -300; z <= 300; ++z) {
      double wins = density(noise, scale, z);
      for (std::size_t j = 0; j < scores.size(); ++j) {
        if (j == i) continue;
        const std::int64_t may_tie = (j > i) != last_wins ? 0 : 1;
        wins *= up_to(noise, scale, scores[i] + z - may_tie - scores[j]);
      }
      probabilities[i] += wins;
    }
  }
  return probabilities;
}

class NoisyMaxOf : public ::testing::TestWithParam<Noise> {};

TEST_P(NoisyMaxOf, FollowsItsLaw) {
  const Scores scores{0, 3, -2, 3, 4};
  const auto fits = [&](const SelectionPrivacy& privacy, bool last_wins = false) {
    return testing::fits_law(draw(mechanism(GetParam(), privacy), scores),
                             law(GetParam(), scores, 2, last_wins));
  };
  testing::expect_accepts(fits({.epsilon = 1}));
  testing::expect_accepts(fits({.epsilon = 3, .sensitivity = 3}));
  testing::expect_accepts(fits({.epsilon = number("1/2"), .monotonic = true}));
  testing::expect_rejects_wrong(fits({.epsilon = number("1.1")}), "scale 10% small");
  testing::expect_rejects_wrong(fits({.epsilon = 3, .sensitivity = 2}), "sensitivity off by one");
  testing::expect_rejects_wrong(fits({.epsilon = 1}, true),
                                "ties to the last instead of the first");
}

TEST_P(NoisyMaxOf, KeepsItsPromiseOnNeighbours) {
  const Scores one(10, 0);
  Scores other(10, -2);
  other[9] = 2;
  const auto audit = [&](const SelectionPrivacy& privacy) {
    const auto runs = mechanism(GetParam(), privacy);
    return testing::audit_privacy({.epsilon = 1}, {draw(runs, one), draw(runs, other)});
  };
  testing::expect_accepts(audit({.epsilon = 1, .sensitivity = 2}));
  testing::expect_rejects_wrong(audit({.epsilon = 1, .sensitivity = 1}), "sensitivity off by one");
}

TEST_P(NoisyMaxOf, SaysItsCostAndRefusesAnEmptyList) {
  const auto choice = mechanism(GetParam(), {.epsilon = 1});
  EXPECT_EQ(choice.cost(), Cost::leaf(cost::Pure{1}).value());
  Permit permit = permit_for(choice.cost());
  EXPECT_NE(refusal(choice.release({}, std::move(permit), system_stream())), "");
  // NOLINTNEXTLINE(bugprone-use-after-move): what was refused was not moved from.
  EXPECT_FALSE(permit.spent());
  EXPECT_NE(refusal(NoisyMax::create(GetParam(), {.epsilon = 0})), "");
}

INSTANTIATE_TEST_SUITE_P(Noises, NoisyMaxOf,
                         ::testing::Values(Noise::kGeometric, Noise::kDiscreteLaplace),
                         [](const auto& noise) {
                           return noise.param == Noise::kGeometric ? "Geometric"
                                                                   : "DiscreteLaplace";
                         });

NoisyMax::WithGap run_with_gap(const NoisyMax& mechanism, const Scores& scores) {
  return mechanism.release_with_gap(scores, permit_for(mechanism.cost()), system_stream())
      .value()
      .value;
}

// Cells: the winner, and its gap up to 9 and beyond.
testing::CellCounts draw_gaps(const NoisyMax& mechanism, const Scores& scores) {
  return testing::count_cells(kTrials, 11 * scores.size(), [&] {
    const auto [winner, gap] = run_with_gap(mechanism, scores);
    EXPECT_GE(gap, 0);
    return 11 * winner + static_cast<std::size_t>(std::min<int128>(gap, 10));
  });
}

// With two candidates the noises differ by a known law: candidate 0 needs no lead, 1 needs a step.
std::vector<double> gap_law(const Scores& scores, double scale) {
  std::vector<double> probabilities(22, 0);
  for (std::int64_t a = -300; a <= 300; ++a) {
    for (std::int64_t b = -300; b <= 300; ++b) {
      const std::int64_t lead = scores[0] + a - scores[1] - b;
      const std::int64_t gap = std::min<std::int64_t>(lead >= 0 ? lead : -lead - 1, 10);
      probabilities[static_cast<std::size_t>(lead >= 0 ? gap : 11 + gap)] +=
          density(Noise::kDiscreteLaplace, scale, a) * density(Noise::kDiscreteLaplace, scale, b);
    }
  }
  return probabilities;
}

TEST(NoisyMaxGap, FollowsItsLaw) {
  const Scores scores{0, 2};
  const auto expected = gap_law(scores, 2);
  const auto fits = [&](const SelectionPrivacy& privacy) {
    return testing::fits_law(draw_gaps(mechanism(Noise::kDiscreteLaplace, privacy), scores),
                             expected);
  };
  testing::expect_accepts(fits({.epsilon = 1}));
  testing::expect_rejects_wrong(fits({.epsilon = number("1.1")}), "scale 10% small");
}

TEST(NoisyMaxGap, KeepsItsPromiseOnNeighbours) {
  const Scores one(3, 0);
  const Scores other{-1, 1, -1};
  const auto audit = [&](const SelectionPrivacy& privacy) {
    const auto runs = mechanism(Noise::kDiscreteLaplace, privacy);
    return testing::audit_privacy({.epsilon = 1}, {draw_gaps(runs, one), draw_gaps(runs, other)});
  };
  testing::expect_accepts(audit({.epsilon = 1}));
  testing::expect_rejects_wrong(audit({.epsilon = 1, .monotonic = true}),
                                "monotonic where scores are not");
}

TEST(NoisyMaxGap, OfOneCandidateIsNothing) {
  EXPECT_EQ(run_with_gap(mechanism(Noise::kDiscreteLaplace, {.epsilon = 1}), {5}),
            (NoisyMax::WithGap{0, 0}));
}

TEST(NoisyMaxGap, OfOneSidedNoiseIsRefused) {
  const auto choice = mechanism(Noise::kGeometric, {.epsilon = 1});
  EXPECT_NE(
      refusal(choice.release_with_gap(Scores{1, 2}, permit_for(choice.cost()), system_stream())),
      "");
}

}  // namespace
}  // namespace tacit
