#include "tacit/mechanisms/gaussian/analytic.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tacit {
namespace {

Rational number(const char* text) { return *Rational::parse(text); }

// delta(epsilon) of the continuous Gaussian with the given ratio of sensitivity to sigma.
double gaussian_delta_of(double mu, double epsilon) {
  const auto above = [](double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); };
  return above(epsilon / mu - mu / 2) - std::exp(epsilon) * above(epsilon / mu + mu / 2);
}

// The total variation distance of lemma 1 in proof.md, term by term.
double distance_to_rounded(double variance) {
  const double sigma = std::sqrt(variance);
  const auto above = [&](double x) { return 0.5 * std::erfc(x / (sigma * std::sqrt(2.0))); };
  double all = 1;
  for (int x = 1; x < 40 * sigma; ++x) all += 2 * std::exp(-x * x / (2 * variance));
  double distance = std::abs(1 / all - (1 - 2 * above(0.5)));
  for (int x = 1; x < 40 * sigma; ++x) {
    distance +=
        2 * std::abs(std::exp(-x * x / (2 * variance)) / all - (above(x - 0.5) - above(x + 0.5)));
  }
  return distance / 2;
}

TEST(GaussianAnalytic, DistanceToTheRoundedGaussianIsAsTheLemmaSays) {
  for (const double variance : {4.0, 5.5, 9.0, 25.0, 400.0, 10'000.0}) {
    EXPECT_LE(distance_to_rounded(variance), 1 / (16 * variance)) << variance;
    EXPECT_GE(distance_to_rounded(variance), 1 / (100 * variance)) << variance;
  }
}

TEST(GaussianAnalytic, RhoLeavesNoMoreThanDelta) {
  for (const char* epsilon : {"0.1", "0.5", "1", "4", "10"}) {
    for (const char* delta : {"1e-3", "1e-5", "1e-9"}) {
      const Rational rho = *gaussian_rho(number(epsilon), number(delta));
      const double mu = std::sqrt(2 * rho.approximate());
      const double spent = gaussian_delta_of(mu, number(epsilon).approximate());
      EXPECT_LE(spent, number(delta).approximate()) << epsilon << " " << delta;
      EXPECT_GE(spent, number(delta).approximate() * 0.998) << epsilon << " " << delta;
    }
  }
}

TEST(GaussianAnalytic, RefusesWhatHasNoMeaning) {
  EXPECT_FALSE(gaussian_rho(0, number("1e-5")));
  EXPECT_FALSE(gaussian_rho(-1, number("1e-5")));
  EXPECT_FALSE(gaussian_rho(1, 0));
  EXPECT_FALSE(gaussian_rho(1, 1));
  EXPECT_FALSE(gaussian_rho(1, -1));
}

TEST(GaussianAnalytic, ACoarseGridIsNotPassedOffAsContinuous) {
  EXPECT_TRUE(check_discrete_share(1, number("1e-6"), Rational::power_of_two(60), 1000, 1));
  EXPECT_FALSE(check_discrete_share(1, number("1e-6"), Rational(100), 1, 1));
  EXPECT_FALSE(check_discrete_share(1, number("0.9"), Rational(1), 1, 1));
  EXPECT_FALSE(check_discrete_share(1, number("1e-17"), Rational::power_of_two(60), 1'000'000, 1));
}

}  // namespace
}  // namespace tacit
