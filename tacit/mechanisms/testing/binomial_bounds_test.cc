#include "tacit/mechanisms/testing/binomial_bounds.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tacit::testing {
namespace {

// P(X >= k) for X ~ Binomial(n, p), summed term by term.
double exact_upper_tail(int n, double p, int k) {
  double tail = 0;
  for (int i = k; i <= n; ++i) {
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) +
                     i * std::log(p) + (n - i) * std::log1p(-p));
  }
  return tail;
}

TEST(BinomialBounds, LowerBoundHoldsWithTheStatedProbability) {
  constexpr int kTrials = 200;
  constexpr double kAlpha = 1e-3;
  for (const double p : {0.01, 0.2, 0.5, 0.9}) {
    double missed = 0;  // probability of the counts whose bound lies above p
    for (int k = 0; k <= kTrials; ++k) {
      if (lower_bound(static_cast<std::uint64_t>(k), kTrials, kAlpha) > p) {
        missed = exact_upper_tail(kTrials, p, k);
        break;
      }
    }
    EXPECT_LE(missed, kAlpha) << p;
    EXPECT_GT(missed, kAlpha / 200) << "the bound is so loose that it never speaks, p = " << p;
  }
}

TEST(BinomialBounds, UpperBoundMirrorsTheLower) {
  for (const std::uint64_t count : {0U, 1U, 17U, 99U, 100U}) {
    EXPECT_NEAR(upper_bound(count, 100, 1e-6), 1 - lower_bound(100 - count, 100, 1e-6), 1e-12);
  }
  EXPECT_EQ(lower_bound(0, 100, 1e-6), 0);
  EXPECT_EQ(upper_bound(100, 100, 1e-6), 1);
  EXPECT_NEAR(upper_bound(0, 1000, 1e-9), 1 - std::exp(std::log(1e-9) / 1000), 1e-12);
}

TEST(BinomialBounds, ContradictsOnlyWhatIsFarAway) {
  EXPECT_FALSE(contradicts(500'000, 1'000'000, 0.5, 1e-9));
  EXPECT_FALSE(contradicts(502'000, 1'000'000, 0.5, 1e-9));
  EXPECT_TRUE(contradicts(504'000, 1'000'000, 0.5, 1e-9));
  EXPECT_TRUE(contradicts(496'000, 1'000'000, 0.5, 1e-9));
  EXPECT_TRUE(contradicts(1, 10, 0.0, 1e-9));
  EXPECT_FALSE(contradicts(0, 10, 0.0, 1e-9));
}

}  // namespace
}  // namespace tacit::testing
