#include "tacit/learn/pate/vote_doubt.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "tacit/privacy/testing/shared_vectors.h"

namespace tacit::learn {
namespace {

using Votes = std::vector<std::uint64_t>;

// P(X - Y >= lead) for independent noise on whole numbers with these weights, term by term.
double by_enumeration(std::int64_t lead, const std::function<double(std::int64_t)>& weight) {
  constexpr std::int64_t kFar = 400;
  double all = 0;
  for (std::int64_t x = -kFar; x <= kFar; ++x) all += weight(x);
  double sum = 0;
  for (std::int64_t x = -kFar; x <= kFar; ++x) {
    for (std::int64_t y = -kFar; y <= x - lead && y <= kFar; ++y) sum += weight(x) * weight(y);
  }
  return sum / (all * all);
}

using PateVectors = SharedVectors;

TEST_F(PateVectors, OfContinuousNoise) {
  const auto& gaussian = vectors_.at("pate_gnmax");
  EXPECT_NEAR(std::log(gaussian_doubt(gaussian.at("votes").get<Votes>(), gaussian.at("sigma"), 0)),
              gaussian.at("log_q").get<double>(), 1e-11);
  const auto& laplace = vectors_.at("pate_lnmax");
  EXPECT_NEAR(std::log(laplace_doubt(laplace.at("votes").get<Votes>(), laplace.at("scale"), 0)),
              laplace.at("log_q").get<double>(), 1e-11);
}

TEST(VoteDoubt, BoundsWhatGaussianNoiseOnStepsDoes) {
  for (const double deviation : {2.0, 5.0, 20.0}) {
    const auto weight = [&](std::int64_t x) {
      return std::exp(-static_cast<double>(x * x) / (2 * deviation * deviation));
    };
    for (const std::uint64_t lead : {0U, 1U, 2U, 7U, 30U}) {
      const double exact = by_enumeration(static_cast<std::int64_t>(lead), weight);
      const double bound = gaussian_doubt(Votes{lead, 0}, deviation, 1);
      EXPECT_GE(bound, exact) << deviation << " " << lead;
      // One step less, and it is none.
      if (lead > 0) {
        EXPECT_LT(gaussian_doubt(Votes{lead + 1, 0}, deviation, 1), exact);
      }
    }
  }
}

TEST(VoteDoubt, IsExactForLaplaceNoiseOnSteps) {
  for (const double scale : {0.7, 3.0, 12.0}) {
    const auto weight = [&](std::int64_t x) {
      return std::exp(-std::abs(static_cast<double>(x)) / scale);
    };
    for (const std::uint64_t lead : {0U, 1U, 4U, 25U}) {
      const double exact = by_enumeration(static_cast<std::int64_t>(lead), weight);
      EXPECT_NEAR(laplace_doubt(Votes{0, lead}, scale, 1) / exact, 1, 1e-9) << scale << " " << lead;
    }
  }
}

TEST(VoteDoubt, OfAThresholdBoundsBothSides) {
  const double deviation = 3;
  double all = 0;
  for (int x = -100; x <= 100; ++x) all += std::exp(-x * x / (2 * deviation * deviation));
  for (int distance = 0; distance < 12; ++distance) {
    double beyond = 0;  // also what lies just on the threshold
    for (int x = std::max(distance, 1); x <= 100; ++x) {
      beyond += std::exp(-x * x / (2 * deviation * deviation));
    }
    EXPECT_GE(threshold_doubt(distance, deviation, 1), beyond / all);
    EXPECT_LT(threshold_doubt(distance + 2, deviation, 1), beyond / all);
  }
}

// The probability of each outcome, by enumeration: whichever is the likeliest, the others have no
// more together.
TEST(VoteDoubt, OfAConfidentVoteBoundsAllOutcomesButOne) {
  const double deviation = 4;
  const double test_deviation = 3;
  constexpr int kMost = 60;
  const auto weights = [](double of) {
    std::vector<double> out;
    double all = 0;
    for (int x = -kMost; x <= kMost; ++x) {
      out.push_back(std::exp(-x * x / (2 * of * of)));
      all += out.back();
    }
    for (double& weight : out) weight /= all;
    return out;
  };
  const std::vector<double> test = weights(test_deviation);
  const std::vector<double> noise = weights(deviation);
  for (const auto& [votes, threshold] : std::vector<std::pair<Votes, std::uint64_t>>{
           {{30, 5}, 18}, {{30, 25}, 18}, {{20, 5}, 40}, {{20, 15}, 22}, {{20, 0}, 20}}) {
    double passes = 0;
    double first_wins = 0;
    for (int x = -kMost; x <= kMost; ++x) {
      const double largest = static_cast<double>(votes[0]) + x;
      const double weight = test[static_cast<std::size_t>(x + kMost)];
      if (largest >= static_cast<double>(threshold)) passes += weight;
      for (int y = -kMost; y <= kMost; ++y) {
        if (largest >= static_cast<double>(votes[1]) + y) {
          first_wins += noise[static_cast<std::size_t>(x + kMost)] *
                        noise[static_cast<std::size_t>(y + kMost)];
        }
      }
    }
    const double likeliest = std::max({1 - passes, passes * first_wins, passes * (1 - first_wins)});
    EXPECT_GE(confident_doubt(votes, deviation, threshold, test_deviation, 1), 1 - likeliest);
  }
  // Far from the threshold it is the doubt of the vote, or nearly none.
  EXPECT_NEAR(confident_doubt(Votes{90, 85}, 4, 20, 3, 0), gaussian_doubt(Votes{90, 85}, 4, 0),
              1e-9);
  EXPECT_LT(confident_doubt(Votes{20, 15}, 4, 80, 3, 0), 1e-9);
}

TEST(VoteDoubt, AddsUpOverTheClassesThatMayWin) {
  EXPECT_DOUBLE_EQ(gaussian_doubt(Votes{50, 20, 20}, 10, 0),
                   2 * gaussian_doubt(Votes{50, 20}, 10, 0));
  EXPECT_DOUBLE_EQ(gaussian_doubt(Votes{20, 50, 20}, 10, 0),
                   gaussian_doubt(Votes{50, 20, 20}, 10, 0));
}

}  // namespace
}  // namespace tacit::learn
