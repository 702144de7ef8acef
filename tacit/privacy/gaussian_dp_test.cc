#include "tacit/privacy/gaussian_dp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tacit/privacy/enclosure_internal.h"
#include "tacit/privacy/testing/costs.h"
#include "tacit/privacy/testing/shared_vectors.h"

namespace tacit {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing_costs::leaf;
using testing_costs::number;

Cost gaussian(std::string_view multiplier) { return leaf(cost::Gaussian{number(multiplier)}); }
double mu(const Cost& cost) { return gaussian_bound(cost).value().mu; }

using GaussianVectors = SharedVectors;

TEST_F(GaussianVectors, DeltaIsExact) {
  for (const json& row : vectors_.at("gaussian_delta")) {
    const Rational sigma = Rational::decimal(row.at("sigma")).value();
    const Cost cost =
        Cost::repeat(row.value("times", std::uint64_t{1}), leaf(cost::Gaussian{sigma})).value();
    const double truth = row.at("delta");
    EXPECT_NEAR(gaussian_delta(gaussian_bound(cost).value(), row.at("epsilon")), truth,
                1e-8 * truth)
        << row;
  }
}

TEST_F(GaussianVectors, AnalyticCalibrationNeverFallsShort) {
  for (const json& row : vectors_.at("analytic_gaussian_sigma")) {
    const double multiplier = analytic_gaussian_multiplier(row[0], row[1]).value();
    const double truth = row[2];
    EXPECT_NEAR(multiplier, truth, 1e-12 * truth) << row;
    EXPECT_LE(gaussian_delta(1 / multiplier, row[0]), row[1].get<double>() * (1 + 1e-12)) << row;
  }
}

TEST(GaussianDp, DeltaOfKnownCases) {
  EXPECT_EQ(gaussian_delta(0, 1), 0);
  // At epsilon 0 the delta is the total variation, 2 Phi(mu/2) - 1.
  EXPECT_NEAR(gaussian_delta(1, 0), std::erf(0.5 / std::sqrt(2)), 1e-14);
  EXPECT_NEAR(gaussian_delta(1e-6, 0), 1e-6 / std::sqrt(2 * M_PI), 1e-13);
  // Where e^epsilon would overflow.
  EXPECT_GT(gaussian_delta(100, 5000), 0.49);
  EXPECT_LT(gaussian_delta(100, 5000), 0.5);
  EXPECT_LT(gaussian_delta(1, 60), 1e-300);
}

TEST(GaussianDp, EpsilonInvertsDelta) {
  for (const double mu : {1e-3, 0.1, 1.0, 5.0, 40.0}) {
    for (const double delta : {1e-12, 1e-5, 0.01}) {
      const double epsilon = gaussian_epsilon(mu, delta);
      EXPECT_LE(gaussian_delta(mu, epsilon), delta);
      const double before = gaussian_delta(mu, epsilon * (1 - 1e-9));
      EXPECT_TRUE(epsilon == 0 || before > delta * (1 - 1e-4)) << mu << " " << delta;
    }
  }
}

TEST(GaussianDp, ComposesGroupsAndReadsForReplace) {
  EXPECT_NEAR(mu(Cost::compose({gaussian("2"), gaussian("1")}).value()), std::sqrt(1.25), 1e-14);
  EXPECT_NEAR(mu(Cost::repeat(16, gaussian("2")).value()), 2, 1e-14);
  EXPECT_NEAR(mu(Cost::group(3, gaussian("2")).value()), 1.5, 1e-14);
  EXPECT_NEAR(mu(Cost::as_replace(gaussian("2")).value()), 1, 1e-14);
  EXPECT_NEAR(mu(Cost::parallel({gaussian("2"), gaussian("1")}).value()), 1, 1e-14);
  const Cost moved = leaf(cost::Gaussian{2}, Neighbours::kReplace);
  EXPECT_NEAR(mu(Cost::parallel({moved, moved, moved}).value()), std::sqrt(0.5), 1e-14);
}

TEST(GaussianDp, ASurveyIsAtMostItsGaussian) {
  // The trade-off curve of epsilon-DP lies above the Gaussian one, and touches it.
  for (const char* text : {"0.01", "0.5", "1", "3", "10"}) {
    const double epsilon = number(text).approximate();
    const double bound = mu(leaf(cost::Pure{number(text)}));
    for (int i = 1; i < 100; ++i) {
      const double alpha = i / 100.0;
      EXPECT_LE(gaussian_trade_off(bound, alpha), approximate_trade_off(epsilon, 0, alpha) + 1e-12)
          << epsilon << " " << alpha;
    }
    const double error = 1 / (1 + std::exp(epsilon));
    EXPECT_NEAR(gaussian_trade_off(bound, error), error, 1e-9);
  }
}

TEST(GaussianDp, APieceLeftOutAddsToDelta) {
  const Cost cost =
      Cost::compose({gaussian("1"), leaf(cost::Approximate{0, number("0.01")})}).value();
  const GaussianBound bound = gaussian_bound(cost).value();
  EXPECT_NEAR(gaussian_delta(bound, 1), 1 - 0.99 * (1 - gaussian_delta(1, 1)), 1e-12);
  EXPECT_TRUE(std::isinf(gaussian_epsilon(bound, 0.009)));
  EXPECT_LT(gaussian_epsilon(bound, 0.02), 5);
}

TEST(GaussianDp, TradeOffCurves) {
  EXPECT_NEAR(gaussian_trade_off(0, 0.3), 0.7, 1e-12);
  EXPECT_NEAR(gaussian_trade_off(1, 0.5), normal_tail(1).lower, 1e-12);
  EXPECT_EQ(gaussian_trade_off(1, 1), 0);
  EXPECT_EQ(gaussian_trade_off(1, 0), 1);
  EXPECT_NEAR(approximate_trade_off(0, 0, 0.3), 0.7, 1e-12);
  EXPECT_NEAR(approximate_trade_off(1, 0.1, 0.01), 0.9 - std::exp(1) * 0.01, 1e-12);
}

TEST(GaussianDp, RefusesByName) {
  const Cost sampled = Cost::poisson_sample(number("0.01"), gaussian("1")).value();
  EXPECT_THAT(gaussian_bound(sampled).error().what, HasSubstr("central limit"));
  EXPECT_THAT(gaussian_bound(leaf(cost::Zcdp{1, 0})).error().what, HasSubstr("zero-concentrated"));
  EXPECT_THAT(gaussian_bound(leaf(cost::Renyi{{{2, 1}}})).error().what, HasSubstr("Rényi"));
  EXPECT_THAT(gaussian_bound(leaf(cost::DiscreteGaussian{1})).error().what,
              HasSubstr("discrete Gaussian"));
  EXPECT_THAT(gaussian_bound(leaf(cost::NoneProved{"k-anonymous"})).error().what,
              HasSubstr("k-anonymous"));
  EXPECT_FALSE(analytic_gaussian_multiplier(-1, 1e-5));
  EXPECT_FALSE(analytic_gaussian_multiplier(std::nan(""), 1e-5));
  EXPECT_FALSE(analytic_gaussian_multiplier(1, 0));
}

}  // namespace
}  // namespace tacit
