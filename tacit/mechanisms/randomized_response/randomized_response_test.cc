#include "tacit/mechanisms/randomized_response/randomized_response.h"

#include <gtest/gtest.h>

#include <bit>
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
using testing::run;
using testing::system_stream;

constexpr std::size_t kTrials = 200'000;
using Answers = std::vector<std::uint32_t>;

RandomizedResponse mechanism(std::uint32_t categories, std::string_view truth) {
  return RandomizedResponse::create(categories, number(truth)).value();
}

testing::CellCounts said(const RandomizedResponse& mechanism, std::uint32_t answer) {
  testing::CellCounts counts(mechanism.categories(), 0);
  for (const std::uint32_t noisy : run(mechanism, Answers(kTrials, answer))) ++counts.at(noisy);
  return counts;
}

TEST(RandomizedResponse, FollowsItsLaw) {
  const std::vector<double> law{0.1, 0.1, 0.6, 0.1, 0.1};
  testing::expect_accepts(testing::fits_law(said(mechanism(5, "0.6"), 2), law));
  testing::expect_rejects_wrong(testing::fits_law(said(mechanism(5, "0.62"), 2), law),
                                "truth 0.62 for 0.6");
  testing::expect_rejects_wrong(testing::fits_law(said(mechanism(5, "0.6"), 1), law),
                                "the category next to the true one");
}

TEST(RandomizedResponse, OfTheTextbookHasTruthThreeQuarters) {
  const auto coin = RandomizedResponse::fair_coin().value();
  EXPECT_EQ(coin.truth(), number("3/4"));
  EXPECT_NEAR(pure_epsilon(coin.cost()).value().approximate(), std::log(3.0), 1e-9);
  testing::expect_accepts(testing::fits_law(said(coin, 1), std::vector{0.25, 0.75}));
}

TEST(RandomizedResponse, KeepsItsPromiseOnNeighbours) {
  const auto audit = [](const RandomizedResponse& runs) {
    return testing::audit_privacy({.epsilon = std::log(3.0)}, {said(runs, 0), said(runs, 1)});
  };
  testing::expect_accepts(audit(mechanism(2, "0.75")));
  testing::expect_accepts(audit(mechanism(3, "0.6")));
  testing::expect_rejects_wrong(audit(mechanism(2, "0.77")), "truth 0.77 for 0.75");
  testing::expect_rejects_wrong(audit(mechanism(3, "0.63")), "truth 0.63 for 0.6");
}

TEST(RandomizedResponse, BitsFollowTheSameLaw) {
  const std::vector<std::uint64_t> words(4000, 0x00FF00FF00FF00FF);
  const auto lies = [&](std::string_view truth) {
    const auto coin = mechanism(2, truth);
    const auto noisy = coin.release_bits(words, permit_for(coin.cost()), system_stream()).value();
    std::uint64_t flipped = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      flipped += static_cast<std::uint64_t>(std::popcount(words[i] ^ noisy.value[i]));
    }
    return testing::CellCounts{flipped, 64 * words.size() - flipped};
  };
  const std::vector<double> law{0.3, 0.7};
  testing::expect_accepts(testing::fits_law(lies("0.7"), law));
  testing::expect_rejects_wrong(testing::fits_law(lies("0.71"), law), "truth 0.71 for 0.7");
}

TEST(RandomizedResponse, ForEpsilonNeverExceedsIt) {
  for (const std::uint32_t categories : {2U, 3U, 1000U}) {
    for (const char* epsilon : {"0.1", "1", "8"}) {
      const auto response = RandomizedResponse::for_epsilon(categories, number(epsilon)).value();
      const double spent = pure_epsilon(response.cost()).value().approximate();
      EXPECT_LE(spent, number(epsilon).approximate());
      EXPECT_GT(spent, number(epsilon).approximate() * (1 - 1e-3)) << categories << " " << epsilon;
    }
  }
}

TEST(RandomizedResponse, AnAnswerThatIsNoCategoryCountsAsTheLast) {
  const auto counts = said(mechanism(3, "0.8"), 4'000'000'000U);
  testing::expect_accepts(testing::fits_law(counts, std::vector{0.1, 0.1, 0.8}));
}

// 400 surveys of 1000 people: the mean of unbiased estimates, and how often the interval covers.
TEST(RandomizedResponse, EstimatesAreUnbiasedAndTheirIntervalsCover) {
  const auto response = mechanism(3, "0.6");
  Answers answers(1000, 2);
  std::fill_n(answers.begin(), 250, 0U);
  const std::vector<double> truth{250, 0, 750};
  constexpr int kSurveys = 400;
  std::vector<double> mean(3, 0);
  double covered = 0;
  double covered_by_half = 0;
  for (int survey = 0; survey < kSurveys; ++survey) {
    std::vector<std::uint64_t> counts(3, 0);
    for (const std::uint32_t noisy : run(response, answers)) ++counts[noisy];
    const auto estimates = response.estimate(counts).value();
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(estimates[j].interval.kind, IntervalKind::kApproximate);
      mean[j] += estimates[j].value / kSurveys;
      const double error = std::abs(estimates[j].value - truth[j]);
      covered += error <= estimates[j].interval.half_width;
      covered_by_half += error <= estimates[j].interval.half_width / 2;
    }
  }
  // A standard deviation of one estimate is below 40, of the mean below 2.
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(mean[j], truth[j], 13);
  // Biased as if nobody had lied: the noisy counts themselves.
  EXPECT_GT(std::abs(1000 * 0.2 + 250 * 0.4 - truth[0]), 13);
  // Six standard deviations below 95%, even if the three estimates always erred together.
  EXPECT_GT(covered / (3 * kSurveys), 0.88);
  EXPECT_LT(covered_by_half / (3 * kSurveys), 0.88);
}

TEST(RandomizedResponse, RefusesWhatHasNoMeaning) {
  EXPECT_NE(refusal(RandomizedResponse::create(1, number("0.9"))), "");
  EXPECT_NE(refusal(RandomizedResponse::create(2, number("0.5"))), "");
  EXPECT_NE(refusal(RandomizedResponse::create(2, 1)), "");
  EXPECT_NE(refusal(RandomizedResponse::create(2, -1)), "");
  EXPECT_NE(refusal(RandomizedResponse::for_epsilon(2, 0)), "");
  EXPECT_NE(refusal(RandomizedResponse::for_epsilon(0, 1)), "");
  EXPECT_NE(refusal(RandomizedResponse::for_epsilon(2, number("1e-12"))), "");
  const auto three = mechanism(3, "0.6");
  EXPECT_NE(refusal(three.release_bits({}, permit_for(three.cost()), system_stream())), "");
  EXPECT_NE(refusal(three.estimate(std::vector<std::uint64_t>{1, 2})), "");
}

}  // namespace
}  // namespace tacit
