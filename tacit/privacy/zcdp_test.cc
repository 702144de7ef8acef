#include "tacit/privacy/zcdp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tacit/privacy/gaussian_dp.h"
#include "tacit/privacy/testing/costs.h"
#include "tacit/privacy/testing/shared_vectors.h"

namespace tacit {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing_costs::leaf;
using testing_costs::number;

Rational rho(const Cost& cost) { return zcdp_bound(cost).value().rho; }

using ZcdpVectors = SharedVectors;

TEST_F(ZcdpVectors, BothDirections) {
  for (const json& row : vectors_.at("zcdp")) {
    const double given = row.at("rho");
    const double delta = row.at("delta");
    const double epsilon = row.at("epsilon");
    EXPECT_NEAR(zcdp_delta(given, epsilon), delta, 1e-9 * delta) << row;
    EXPECT_NEAR(zcdp_epsilon(given, delta), epsilon, 1e-9 * epsilon) << row;
  }
}

TEST(Zcdp, LeavesAreExact) {
  EXPECT_EQ(rho(leaf(cost::Gaussian{2})), number("1/8"));
  EXPECT_EQ(rho(leaf(cost::DiscreteGaussian{4, 3, 7})), number("3/8"));
  EXPECT_EQ(rho(leaf(cost::Pure{1})), number("1/2"));
  EXPECT_EQ(rho(leaf(cost::Exponential{1})), number("1/8"));
  EXPECT_EQ(rho(leaf(cost::SparseVector{1})), number("1/2"));
  EXPECT_EQ(rho(leaf(cost::Zcdp{number("0.3"), 0})), number("0.3"));
}

// The divergence at order a, by its closed form (Mironov 2017).
double laplace_divergence(double epsilon, double a) {
  return std::log((a / (2 * a - 1) * std::exp((a - 1) * epsilon)) +
                  ((a - 1) / (2 * a - 1) * std::exp(-a * epsilon))) /
         (a - 1);
}

TEST(Zcdp, LaplaceNoiseIsChargedWhatItsDivergencesNeed) {
  for (const char* multiplier : {"0.1", "0.5", "1", "2", "10", "300"}) {
    const double epsilon = 1 / number(multiplier).approximate();
    const double charged = rho(leaf(cost::Laplace{number(multiplier)})).approximate();
    for (const double a : {1.001, 1.1, 1.5, 2.0, 4.0, 16.0, 64.0}) {
      EXPECT_LE(laplace_divergence(epsilon, a), a * charged * (1 + 1e-9)) << multiplier << " " << a;
    }
    // No smaller rho would do: near order 1 it is reached.
    EXPECT_GE(laplace_divergence(epsilon, 1.001), 0.998 * 1.001 * charged) << multiplier;
    EXPECT_LE(charged, epsilon * epsilon / 2);
  }
  EXPECT_EQ(rho(Cost::group(3, leaf(cost::Laplace{3})).value()), rho(leaf(cost::Laplace{1})));
  // Where e^-epsilon would be 1 to doubles.
  EXPECT_EQ(rho(leaf(cost::Laplace{number("1e12")})), number("5e-25"));
}

// Another library charged the exponential mechanism's price, a quarter of this.
TEST(Zcdp, PermuteAndFlipIsNotChargedAQuarter) {
  EXPECT_EQ(rho(leaf(cost::PermuteAndFlip{1})), number("1/2"));
}

TEST(Zcdp, ComposesGroupsAndReadsForReplace) {
  const Cost half = leaf(cost::Pure{1});
  EXPECT_EQ(rho(Cost::repeat(10, half).value()), Rational(5));
  EXPECT_EQ(rho(Cost::group(3, half).value()), number("4.5"));
  EXPECT_EQ(rho(Cost::as_replace(half).value()), Rational(2));
  EXPECT_EQ(rho(Cost::parallel({half, leaf(cost::Gaussian{2})}).value()), number("0.5"));
  const Cost replaced = leaf(cost::Pure{1}, Neighbours::kReplace);
  EXPECT_EQ(rho(Cost::parallel({replaced, replaced, replaced}).value()), Rational(1));
  const ZcdpBound bound =
      zcdp_bound(Cost::repeat(3, leaf(cost::Approximate{1, number("0.01")})).value()).value();
  EXPECT_EQ(bound.rho, number("1.5"));
  EXPECT_EQ(bound.delta, number("0.03"));
}

TEST(Zcdp, ASampleOfPurePartsIsPure) {
  const Cost sample = Cost::poisson_sample(number("0.1"), leaf(cost::Pure{1})).value();
  const double epsilon = std::log1p(0.1 * std::expm1(1));
  EXPECT_NEAR(rho(sample).approximate(), epsilon * epsilon / 2, 1e-12);
}

TEST(Zcdp, ConversionsAgreeAndImprove) {
  for (const double r : {1e-6, 0.01, 0.5, 10.0, 1e4}) {
    for (const double delta : {1e-12, 1e-6, 0.01}) {
      const double epsilon = zcdp_epsilon(r, delta);
      EXPECT_LE(zcdp_delta(r, epsilon), delta);
      EXPECT_LE(epsilon, zcdp_epsilon_classic(r, delta));
      // Gaussian noise is rho-zCDP, so no conversion can promise less than its exact epsilon.
      EXPECT_GE(epsilon, gaussian_epsilon(std::sqrt(2 * r), delta) * (1 - 1e-9));
    }
  }
  EXPECT_EQ(zcdp_delta(0, 0), 0);
  EXPECT_TRUE(std::isinf(zcdp_epsilon({0, number("0.1")}, 0.05)));
  EXPECT_EQ(zcdp_epsilon({0, number("0.1")}, 0.2), 0);
}

TEST(Zcdp, RefusesByName) {
  const Cost sampled = Cost::poisson_sample(number("0.01"), leaf(cost::Gaussian{1})).value();
  EXPECT_THAT(zcdp_bound(sampled).error().what, HasSubstr("does not amplify"));
  EXPECT_THAT(zcdp_bound(leaf(cost::Renyi{{{2, 1}}})).error().what, HasSubstr("Rényi"));
  const Cost partial = leaf(cost::Zcdp{1, number("0.1")});
  EXPECT_TRUE(zcdp_bound(partial));
  EXPECT_THAT(zcdp_bound(Cost::group(2, partial).value()).error().what, HasSubstr("group"));
}

}  // namespace
}  // namespace tacit
