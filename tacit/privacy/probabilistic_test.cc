#include "tacit/privacy/probabilistic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tacit/privacy/gaussian_dp.h"
#include "tacit/privacy/testing/costs.h"

namespace tacit {
namespace {

using testing::HasSubstr;
using testing_costs::leaf;
using testing_costs::number;

double tail(double x) { return std::erfc(x / std::sqrt(2)) / 2; }

TEST(ProbabilisticDp, OneGaussianIsItsTail) {
  const Cost cost = leaf(cost::Gaussian{2});
  EXPECT_NEAR(probabilistic_delta(cost, 1).value(), tail(1 / 0.5 - 0.25), 1e-14);
  const double epsilon = probabilistic_epsilon(cost, 1e-5).value();
  EXPECT_NEAR(probabilistic_delta(cost, epsilon).value(), 1e-5, 1e-14);
  EXPECT_GT(epsilon, gaussian_epsilon(0.5, 1e-5));
}

TEST(ProbabilisticDp, PureLossesAreBounded) {
  const Cost cost = Cost::repeat(3, leaf(cost::Laplace{2})).value();
  EXPECT_EQ(probabilistic_delta(cost, 1.5).value(), 0);
  EXPECT_NEAR(probabilistic_epsilon(cost, 0).value(), 1.5, 1e-10);
  const Cost mixed = Cost::compose({leaf(cost::Pure{1}), leaf(cost::Gaussian{1})}).value();
  EXPECT_NEAR(probabilistic_delta(mixed, 5).value(), tail(4 - 0.5), 1e-13);
}

// Who asks with full sensitivity until the loss passes epsilon, and with none from then on, makes
// it pass more often than one tail says. The bound must cover this player.
TEST(ProbabilisticDp, CoversAPlayerWhoStopsWhileAhead) {
  constexpr int kSteps = 400;
  constexpr int kGames = 20000;
  const double step_mu = 1.0 / 20;
  const Cost cost = Cost::repeat(kSteps, leaf(cost::Gaussian{20})).value();
  std::mt19937_64 generator(7);  // NOLINT(cert-msc51-cpp): a repeatable game
  std::normal_distribution<double> normal;
  const double epsilon = 2;
  int passed = 0;
  for (int game = 0; game < kGames; ++game) {
    double loss = 0;
    for (int step = 0; step < kSteps && loss <= epsilon; ++step) {
      loss += step_mu * step_mu / 2 + step_mu * normal(generator);
    }
    if (loss > epsilon) ++passed;
  }
  const double rate = static_cast<double>(passed) / kGames;
  const double noise = 6.2 * std::sqrt(rate * (1 - rate) / kGames);  // false alarm below 1e-9
  EXPECT_GT(rate - noise, tail(2 - 0.5)) << "one tail alone would have been enough";
  EXPECT_LT(rate - noise, probabilistic_delta(cost, epsilon).value());
}

TEST(ProbabilisticDp, ImpliesDifferentialPrivacy) {
  const Cost cost = Cost::repeat(40, leaf(cost::Gaussian{4})).value();
  for (const double epsilon : {1.0, 3.0, 10.0}) {
    EXPECT_GE(probabilistic_delta(cost, epsilon).value(),
              gaussian_delta(gaussian_bound(cost).value(), epsilon));
  }
}

TEST(ProbabilisticDp, FollowsFromApproximatePrivacyAtALargerEpsilon) {
  EXPECT_NEAR(probabilistic_from_approximate(1, 1e-6, 1 + std::log(2)), 2e-6, 1e-18);
  EXPECT_EQ(probabilistic_from_approximate(1, 1e-6, 1), 1);
  EXPECT_EQ(probabilistic_from_approximate(1, 0, 1), 0);
  const Cost cost = leaf(cost::Approximate{1, number("1e-9")});
  EXPECT_LT(probabilistic_delta(cost, 8).value(), 1e-3);
}

TEST(ProbabilisticDp, ConcentratedLossesHaveATail) {
  const Cost cost = leaf(cost::Zcdp{number("0.1"), 0});
  EXPECT_NEAR(probabilistic_delta(cost, 2).value(), std::exp(-1.9 * 1.9 / 0.4), 1e-12);
  EXPECT_EQ(probabilistic_delta(cost, 0.05).value(), 1);
}

TEST(ProbabilisticDp, RefusesByName) {
  const Cost sampled = Cost::poisson_sample(number("0.1"), leaf(cost::Gaussian{1})).value();
  EXPECT_THAT(probabilistic_delta(sampled, 1).error().what, HasSubstr("no tail of the loss"));
  EXPECT_FALSE(probabilistic_epsilon(leaf(cost::NoneProved{"no proof"}), 1e-5));
}

}  // namespace
}  // namespace tacit
