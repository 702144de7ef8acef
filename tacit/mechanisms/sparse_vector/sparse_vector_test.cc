#include "tacit/mechanisms/sparse_vector/sparse_vector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacit/mechanisms/selection/testing/run_mechanism.h"
#include "tacit/mechanisms/testing/goodness_of_fit.h"
#include "tacit/mechanisms/testing/privacy_audit.h"
#include "tacit/privacy/pure.h"

namespace tacit {
namespace {

using testing::number;
using testing::permit_for;
using testing::refusal;
using testing::system_stream;

constexpr std::uint64_t kTrials = 300'000;
constexpr std::int64_t kThreshold = 50;
using Answers = std::vector<std::int64_t>;

SparseVector mechanism(SparseVectorPrivacy privacy) {
  return SparseVector::create(std::move(privacy)).value();
}

SparseVector::Session start(const SparseVector& mechanism) {
  return mechanism.start(kThreshold, permit_for(mechanism.cost()), system_stream()).value();
}

// The cell of a run: how many questions were below before the first above.
testing::CellCounts first_above(const SparseVector& mechanism, const Answers& answers,
                                std::uint64_t trials = kTrials) {
  return testing::count_cells(trials, answers.size() + 1, [&] {
    auto session = start(mechanism);
    std::size_t asked = 0;
    while (asked < answers.size() && !session.ask(answers[asked], system_stream())->above) ++asked;
    return asked;
  });
}

double density(double scale, std::int64_t z) {
  const double y = std::exp(-1 / scale);
  return (1 - y) / (1 + y) * std::pow(y, static_cast<double>(std::abs(z)));
}
double at_least(double scale, std::int64_t z) {
  const double y = std::exp(-1 / scale);
  if (z >= 1) return std::pow(y, static_cast<double>(z)) / (1 + y);
  return 1 - std::pow(y, static_cast<double>(1 - z)) / (1 + y);
}

struct Scales {
  double threshold;
  double question;
};
Scales scales(const SparseVector& mechanism, double epsilon, double moves) {
  const double first = mechanism.threshold_epsilon().approximate();
  return {1 / first, moves / (epsilon - first)};
}

// `strict` is the wrong comparison: above only beyond the threshold.
std::vector<double> first_above_law(const Answers& answers, const Scales& scale,
                                    bool strict = false) {
  std::vector<double> law(answers.size() + 1, 0);
  for (std::int64_t noise = -400; noise <= 400; ++noise) {
    double reached = density(scale.threshold, noise);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const double above =
          at_least(scale.question, kThreshold + noise - answers[i] + (strict ? 1 : 0));
      law[i] += reached * above;
      reached *= 1 - above;
    }
    law.back() += reached;
  }
  return law;
}

TEST(SparseVector, FollowsItsLaw) {
  const Answers answers{48, 50, 53, 40};
  const auto expected = first_above_law(answers, scales(mechanism({.epsilon = 2}), 2, 2));
  const auto fits = [&](const SparseVectorPrivacy& privacy) {
    return testing::fits_law(first_above(mechanism(privacy), answers), expected);
  };
  testing::expect_accepts(fits({.epsilon = 2}));
  testing::expect_accepts(fits({.epsilon = 6, .sensitivity = 3}));
  testing::expect_rejects_wrong(fits({.epsilon = number("2.2")}), "scale 10% small");
  testing::expect_rejects_wrong(fits({.epsilon = 6, .sensitivity = 2}), "sensitivity off by one");
  testing::expect_rejects_wrong(fits({.epsilon = 2, .monotonic = true}),
                                "monotonic where answers are not");
}

TEST(Regression, ThresholdOffByOne) {
  const Answers answers{50, 49, 51};
  const auto runs = mechanism({.epsilon = 4});
  const auto scale = scales(runs, 4, 2);
  const auto counts = first_above(runs, answers);
  testing::expect_accepts(testing::fits_law(counts, first_above_law(answers, scale)));
  testing::expect_rejects_wrong(testing::fits_law(counts, first_above_law(answers, scale, true)),
                                "above only beyond the threshold, not at it");
}

// The noise of the threshold is drawn once. Were it drawn again after an answer, the answers would
// be independent.
TEST(SparseVector, KeepsTheNoiseOfItsThreshold) {
  const auto runs = mechanism({.epsilon = 1, .positives = 2});
  const auto [threshold_scale, question_scale] = scales(runs, 1, 4);
  const auto counts = testing::count_cells(kTrials, 4, [&] {
    auto session = start(runs);
    const bool first = session.ask(52, system_stream())->above;
    const bool second = session.ask(52, system_stream())->above;
    return (first ? 2 : 0) + (second ? 1 : 0);
  });
  double above = 0;
  double both = 0;
  for (std::int64_t noise = -400; noise <= 400; ++noise) {
    const double one = at_least(question_scale, noise - 2);
    above += density(threshold_scale, noise) * one;
    both += density(threshold_scale, noise) * one * one;
  }
  const auto law = [&](double p) {
    return std::vector{1 - 2 * above + p, above - p, above - p, p};
  };
  testing::expect_accepts(testing::fits_law(counts, law(both)));
  testing::expect_rejects_wrong(testing::fits_law(counts, law(above * above)),
                                "threshold noise drawn anew for each question");
}

TEST(SparseVector, KeepsItsPromiseOnNeighbours) {
  // Ten answers fall and one rises: the worst case of the proof.
  const auto audit = [](const SparseVectorPrivacy& privacy, std::int64_t step,
                        std::uint64_t trials = kTrials) {
    Answers one(11, kThreshold + step);
    one.back() = kThreshold;
    Answers other(11, kThreshold);
    other.back() = kThreshold + step;
    const auto runs = mechanism(privacy);
    return testing::audit_privacy(
        {.epsilon = 1}, {first_above(runs, one, trials), first_above(runs, other, trials)});
  };
  testing::expect_accepts(audit({.epsilon = 1}, 1));
  testing::expect_accepts(audit({.epsilon = 1, .sensitivity = 2}, 2));
  testing::expect_rejects_wrong(audit({.epsilon = 1, .sensitivity = 1}, 2),
                                "sensitivity off by one");
  testing::expect_rejects_wrong(audit({.epsilon = 1, .monotonic = true}, 1, 4 * kTrials),
                                "monotonic where answers are not");
}

TEST(SparseVector, EndsAfterItsPositives) {
  auto session = start(mechanism({.epsilon = 1, .positives = 3}));
  for (std::uint64_t left = 3; left > 0; --left) {
    EXPECT_EQ(session.remaining(), left);
    EXPECT_FALSE(session.ask(-1'000'000, system_stream())->above);
    EXPECT_TRUE(session.ask(1'000'000, system_stream())->above);
  }
  const auto ended = session.ask(1'000'000, system_stream());
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, ErrorKind::kBudget);
}

TEST(SparseVector, ASessionThatWasMovedHasNothingLeft) {
  auto session = start(mechanism({.epsilon = 1}));
  auto taken = std::move(session);
  // NOLINTNEXTLINE(bugprone-use-after-move): that nothing is left is what is tested.
  EXPECT_FALSE(session.ask(1'000'000, system_stream()));
  EXPECT_EQ(taken.entry(), "test");
  session = std::move(taken);
  EXPECT_TRUE(session.ask(1'000'000, system_stream())->above);
}

TEST(SparseVector, NumbersHaveTheirOwnNoiseAndAnExactInterval) {
  const auto runs = mechanism({.epsilon = 1, .positives = 2, .numeric_epsilon = number("1")});
  // Two numbers share epsilon 1: scale 2.
  testing::CellCounts counts(3, 0);
  double covered = 0;
  double covered_by_less = 0;
  constexpr int kSessions = 20'000;
  for (int i = 0; i < kSessions; ++i) {
    auto session = start(runs);
    const auto answer = session.ask(1'000'000, system_stream()).value();
    ASSERT_TRUE(answer.above && answer.value);
    const auto error = static_cast<double>(answer.value->value - 1'000'000);
    ++counts[error < 0 ? 0 : (error == 0 ? 1 : 2)];
    covered += std::abs(error) <= answer.value->interval.half_width;
    covered_by_less += std::abs(error) <= answer.value->interval.half_width - 1;
    EXPECT_EQ(answer.value->interval.kind, IntervalKind::kExact);
  }
  const auto law = [](double scale) {
    const double side = at_least(scale, 1);
    return std::vector{side, 1 - 2 * side, side};
  };
  testing::expect_accepts(testing::fits_law(counts, law(2)));
  testing::expect_rejects_wrong(testing::fits_law(counts, law(1)), "half the scale");
  EXPECT_GT(covered / kSessions, 0.94);
  EXPECT_LT(covered_by_less / kSessions, 0.95);
}

TEST(SparseVector, SaysItsCostBeforehand) {
  const Cost comparisons = Cost::leaf(cost::SparseVector{number("0.5")}).value();
  EXPECT_EQ(mechanism({.epsilon = number("0.5"), .positives = 7}).cost(), comparisons);
  const Cost number_cost = Cost::leaf(cost::DiscreteLaplace{20, 2}).value();
  const auto with_numbers = mechanism(
      {.epsilon = number("0.5"), .positives = 10, .sensitivity = 2, .numeric_epsilon = 1});
  EXPECT_EQ(with_numbers.cost(),
            Cost::compose({comparisons, Cost::repeat(10, number_cost).value()}).value());
  EXPECT_EQ(pure_epsilon(with_numbers.cost()).value(), number("1.5"));
}

TEST(SparseVector, DividesEpsilonByTheOptimalRatio) {
  for (const std::uint64_t positives : {1U, 10U, 1000U}) {
    const double share =
        mechanism({.epsilon = 1, .positives = positives}).threshold_epsilon().approximate();
    const double best = 1 / (1 + std::cbrt(4.0 * static_cast<double>(positives * positives)));
    EXPECT_NEAR(share, best, 2e-5);
  }
}

TEST(SparseVector, RefusesWhatHasNoMeaning) {
  EXPECT_NE(refusal(SparseVector::create({.epsilon = 0})), "");
  EXPECT_NE(refusal(SparseVector::create({.epsilon = -1})), "");
  EXPECT_NE(refusal(SparseVector::create({.epsilon = 1, .positives = 0})), "");
  EXPECT_NE(refusal(SparseVector::create({.epsilon = 1, .positives = std::uint64_t{1} << 60})), "");
  EXPECT_NE(refusal(SparseVector::create({.epsilon = 1, .sensitivity = 0})), "");
  EXPECT_NE(refusal(SparseVector::create({.epsilon = 1, .numeric_epsilon = Rational(0)})), "");
  const auto runs = mechanism({.epsilon = 1});
  EXPECT_NE(refusal(runs.start(0, permit_for(mechanism({.epsilon = 2}).cost()), system_stream())),
            "");
}

}  // namespace
}  // namespace tacit
