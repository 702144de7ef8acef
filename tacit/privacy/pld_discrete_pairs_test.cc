#include <gtest/gtest.h>

#include <cmath>

#include "tacit/privacy/pld_pairs_internal.h"
#include "tacit/privacy/testing/pair_curve.h"

namespace tacit::pld {
namespace {

// sum_x (P(x) - e^epsilon P(x - sensitivity))+ for a weight function on the integers.
template <class Weight>
double curve_by_sum(Weight weight, int sensitivity, double epsilon, int reach) {
  long double total = 0;
  for (int x = -reach; x <= reach; ++x) total += weight(x);
  long double sum = 0;
  for (int x = -reach; x <= reach; ++x) {
    const long double difference = weight(x) - (std::exp(epsilon) * weight(x - sensitivity));
    if (difference > 0) sum += difference / total;
  }
  return static_cast<double>(sum);
}

TEST(PldDiscretePairs, DiscreteLaplaceIsTheSumOverItsOutcomes) {
  for (const int sensitivity : {1, 2, 7}) {
    const auto weight = [](int x) { return std::exp(-std::abs(x) / 3.5L); };
    const Pair pair = discrete_laplace_pair(3.5, sensitivity);
    for (double epsilon = -2.5; epsilon < 2.5; epsilon += 0.0703) {
      EXPECT_NEAR(curve(*pair, epsilon), curve_by_sum(weight, sensitivity, epsilon, 400), 1e-13)
          << sensitivity << " at " << epsilon;
    }
  }
}

TEST(PldDiscretePairs, DiscreteGaussianIsTheSumOverItsOutcomes) {
  for (const int sensitivity : {1, 3}) {
    const auto weight = [](int x) { return std::exp(-static_cast<long double>(x) * x / 9); };
    const Pair pair = discrete_gaussian_pair(4.5, sensitivity);
    for (double epsilon = -5; epsilon < 5; epsilon += 0.0703) {
      EXPECT_NEAR(curve(*pair, epsilon), curve_by_sum(weight, sensitivity, epsilon, 80), 1e-13)
          << sensitivity << " at " << epsilon;
    }
  }
}

// A deviation above the table's limit, against the sum itself.
TEST(PldDiscretePairs, WideDiscreteGaussianMeetsItsSumToTheStatedError) {
  constexpr double kDeviation = 17000;
  const Pair pair = discrete_gaussian_pair(kDeviation * kDeviation, 17000);
  long double total = 1;
  for (int x = 1; x < 40 * kDeviation; ++x) {
    total += 2 * std::exp(-0.5L * (x / kDeviation) * (x / kDeviation));
  }
  // Y > y where x < s / 2 - y variance / s: at y = 1/2 - k, where x is at most k s - 1.
  for (int k : {1, 2, 3, 6}) {
    long double beyond = 0;
    for (int x = 40 * 17000; x >= k * 17000; --x) {
      beyond += std::exp(-0.5L * (x / kDeviation) * (x / kDeviation));
    }
    const Tails tails = pair->at(0.5 - k);
    const auto exact = static_cast<double>(beyond / total);
    EXPECT_NEAR(tails.p_below, exact, exact * pair->tail_error()) << k;
  }
}

TEST(PldDiscretePairs, ApproximatePairHasItsDeltaBeyondEpsilonAndNoMore) {
  const Pair pair = approximate_pair(0.7, 0.01);
  EXPECT_DOUBLE_EQ(pair->infinite_mass(), 0.01);
  EXPECT_NEAR(curve(*pair, 0.7), 0.01, 1e-15);
  EXPECT_NEAR(curve(*pair, 5), 0.01, 1e-15);
  EXPECT_NEAR(curve(*pair, 0), 0.01 + (0.99 * std::tanh(0.35)), 1e-15);
}

TEST(PldDiscretePairs, RandomizedResponseOnManyCategories) {
  // Truth 0.6, each lie 0.1: (0.6 - e^epsilon 0.1)+ + the rest, which cancels.
  const Pair pair = randomized_response_pair(5, 0.6, 0.1);
  EXPECT_NEAR(curve(*pair, 0.5), 0.6 - (std::exp(0.5) * 0.1), 1e-15);
  EXPECT_NEAR(curve(*pair, -0.5), 0.6 + 0.3 - (std::exp(-0.5) * 0.4), 1e-15);
  EXPECT_EQ(curve(*pair, std::log(6.0) + 1e-9), 0);
  EXPECT_DOUBLE_EQ(randomized_response_pair(2, 1, 0)->infinite_mass(), 1);
}

// At the table's largest size the tails are right to a few units in the last place.
TEST(PldDiscretePairs, LargeTablesKeepTheirTailError) {
  constexpr double kDeviation = 16383;
  const Pair pair = discrete_gaussian_pair(kDeviation * kDeviation, 1);
  long double tail = 0;
  long double total = 0;
  // P of the outcomes below x, which are those of loss above (1/2 - x) / variance.
  constexpr int kOutcome = -20000;
  for (int x = -600000; x <= 600000; ++x) {
    const long double weight =
        std::exp(-static_cast<long double>(x) * x / (2.0L * kDeviation * kDeviation));
    total += weight;
    if (x <= kOutcome) tail += weight;
  }
  const Tails tails = pair->at((0.5 - (kOutcome + 0.5)) / (kDeviation * kDeviation));
  const auto exact = static_cast<double>(tail / total);
  EXPECT_NEAR(tails.p_above, exact, exact * 1e-15);
}

}  // namespace
}  // namespace tacit::pld
