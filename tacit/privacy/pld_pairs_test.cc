#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tacit/privacy/pld_pairs_internal.h"
#include "tacit/privacy/testing/pair_curve.h"

namespace tacit::pld {
namespace {

struct NamedPair {
  const char* name;
  Pair pair;
};

std::vector<NamedPair> all_pairs() {
  const Pair gaussian = gaussian_pair(0.8);
  const Pair laplace = laplace_pair(1.5);
  const Pair approximate = approximate_pair(0.7, 0.01);
  return {{"gaussian", gaussian},
          {"laplace", laplace},
          {"bounded range", bounded_range_pair(0.9)},
          {"approximate", approximate},
          {"pure", approximate_pair(1.2, 0)},
          {"randomized response", randomized_response_pair(5, 0.6, 0.1)},
          {"discrete laplace", discrete_laplace_pair(3, 4)},
          {"discrete gaussian", discrete_gaussian_pair(5, 3)},
          {"gaussian removed", poisson_pair(gaussian, 0.1, Direction::kRemove)},
          {"gaussian added", poisson_pair(gaussian, 0.1, Direction::kAdd)},
          {"laplace removed", poisson_pair(laplace, 0.3, Direction::kRemove)},
          {"laplace added", poisson_pair(laplace, 0.3, Direction::kAdd)},
          {"approximate removed", poisson_pair(approximate, 0.2, Direction::kRemove)},
          {"approximate added", poisson_pair(approximate, 0.2, Direction::kAdd)}};
}

TEST(PldPairs, TailsAreProbabilitiesThatFallWithTheLoss) {
  for (const auto& [name, pair] : all_pairs()) {
    SCOPED_TRACE(name);
    Tails before{1, 1, 0, 0};
    for (double loss = -6; loss < 6; loss += 0.01) {
      const Tails tails = pair->at(loss);
      EXPECT_NEAR(tails.p_above + tails.p_below, 1, 1e-12);
      EXPECT_NEAR(tails.q_above + tails.q_below, 1, 1e-12);
      EXPECT_LE(tails.p_above, before.p_above + 1e-15);
      EXPECT_LE(tails.q_above, before.q_above + 1e-15);
      before = tails;
    }
  }
}

// Between two thresholds the loss is between them, so P's mass is between e^loss times Q's.
TEST(PldPairs, MassBetweenThresholdsHasLossesBetweenThem) {
  for (const auto& [name, pair] : all_pairs()) {
    SCOPED_TRACE(name);
    constexpr double kWidth = 0.01;
    for (double low = -6.003; low < 6; low += kWidth) {
      const Tails from = pair->at(low);
      const Tails to = pair->at(low + kWidth);
      const double p = from.p_above - to.p_above;
      const double q = from.q_above - to.q_above;
      EXPECT_GE(p, (std::exp(low) * q) - 1e-13) << low;
      EXPECT_LE(p, (std::exp(low + kWidth) * q) + 1e-13) << low;
    }
  }
}

// delta(epsilon) of a symmetric pair determines that of (Q, P): H(1/t) = 1 - 1/t + H(t)/t.
TEST(PldPairs, UnsampledPairsAreSymmetric) {
  for (const auto& [name, pair] : all_pairs()) {
    SCOPED_TRACE(name);
    const bool sampled = std::string(name).ends_with("ed");
    double largest = 0;
    for (double epsilon = 0.05; epsilon < 3; epsilon += 0.05) {
      const double mirrored = 1 - std::exp(-epsilon) + (curve(*pair, epsilon) * std::exp(-epsilon));
      largest = std::max(largest, std::abs(curve(*pair, -epsilon) - mirrored));
    }
    if (sampled) {
      EXPECT_GT(largest, 1e-4);
    } else {
      EXPECT_LT(largest, 1e-12);
    }
  }
}

TEST(PldPairs, GaussianCurveIsTheAnalyticOne) {
  // Balle and Wang 2018, Theorem 8, at sigma 1.
  EXPECT_NEAR(curve(*gaussian_pair(1), 1), 0.126936737506644, 1e-14);
  EXPECT_NEAR(curve(*gaussian_pair(1), 2), 0.0209236358211137, 1e-14);
}

TEST(PldPairs, LaplaceCurveIsTheKnownOne) {
  // 1 - e^((epsilon - 1/b) / 2) for epsilon below 1/b.
  for (double epsilon : {0.0, 0.2, 0.49}) {
    EXPECT_NEAR(curve(*laplace_pair(2), epsilon), 1 - std::exp((epsilon - 0.5) / 2), 1e-14);
  }
  EXPECT_EQ(curve(*laplace_pair(2), 0.51), 0);
}

// Every pair of two losses t and t - range with both masses one lies under the curve, and for each
// epsilon one of them touches it.
TEST(PldPairs, BoundedRangeCurveIsTheLargestOfTwoPointPairs) {
  constexpr double kRange = 0.9;
  const Pair pair = bounded_range_pair(kRange);
  for (double epsilon = -0.85; epsilon < 0.9; epsilon += 0.1) {
    double largest = 0;
    for (int step = 0; step <= 9000; ++step) {
      const double top = kRange * step / 9000;
      const double p_top = std::expm1(kRange - top) / (std::exp(kRange - top) - std::exp(-top));
      const double at_top = p_top * std::max(1 - std::exp(epsilon - top), 0.0);
      const double at_bottom = (1 - p_top) * std::max(1 - std::exp(epsilon - top + kRange), 0.0);
      largest = std::max(largest, at_top + at_bottom);
    }
    EXPECT_GE(curve(*pair, epsilon), largest - 1e-14) << epsilon;
    EXPECT_NEAR(curve(*pair, epsilon), largest, 1e-7) << epsilon;
  }
}

}  // namespace
}  // namespace tacit::pld
