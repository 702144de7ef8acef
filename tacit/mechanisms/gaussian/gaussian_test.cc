#include "tacit/mechanisms/gaussian/gaussian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tacit/mechanisms/testing/goodness_of_fit.h"
#include "tacit/mechanisms/testing/privacy_audit.h"
#include "tacit/mechanisms/testing/release_many.h"

namespace tacit {
namespace {

using testing::count_values;
using testing::expect_accepts;
using testing::expect_rejects_wrong;
using testing::IntegerCells;
using testing::release_many;
using testing::repeated;

Rational number(const char* text) { return *Rational::parse(text); }

class DiscreteGaussianMechanismTest : public ::testing::Test {
 protected:
  SecureStream stream_ = *SecureStream::create();
};

// P(|X| > w), summed from the smallest term on.
long double exact_tail(long double variance, std::int64_t w) {
  const auto last = static_cast<std::int64_t>(100 * std::sqrt(variance)) + 100;
  long double outside = 0;
  long double inside = 0;
  for (std::int64_t x = last; x >= 0; --x) {
    const auto at = static_cast<long double>(x);
    const long double term = std::exp(-at * at / (2 * variance)) * (x == 0 ? 1 : 2);
    (x > w ? outside : inside) += term;
  }
  return outside / (outside + inside);
}

TEST_F(DiscreteGaussianMechanismTest, SaysItsCostBeforeItRuns) {
  const Sensitivity sensitivity{
      .l1 = 5, .squared_l2 = 9, .coordinates = 4, .one_coordinate = false};
  const auto mechanism = *DiscreteGaussianMechanism::create(number("0.1"), sensitivity);
  EXPECT_EQ(mechanism.variance(), Rational(45));
  EXPECT_EQ(mechanism.cost(), *Cost::leaf(cost::DiscreteGaussian{45, 9, 4}));
  const Sensitivity replace{.neighbours = Neighbours::kReplace};
  EXPECT_EQ(DiscreteGaussianMechanism::create(1, replace)->cost(),
            *Cost::leaf(cost::DiscreteGaussian{number("1/2"), 1, 1}, Neighbours::kReplace));
}

TEST_F(DiscreteGaussianMechanismTest, RefusesWhatHasNoMeaning) {
  EXPECT_FALSE(DiscreteGaussianMechanism::create(0, {}));
  EXPECT_FALSE(DiscreteGaussianMechanism::create(-1, {}));
  EXPECT_FALSE(DiscreteGaussianMechanism::create(1, {.l1 = 0, .squared_l2 = 0}));
  EXPECT_FALSE(DiscreteGaussianMechanism::create(number("1e-40"), {}));
  const auto mechanism = *DiscreteGaussianMechanism::create(1, {});
  EXPECT_FALSE(mechanism.half_width(1.0));
  EXPECT_FALSE(mechanism.half_width(std::nan("")));
}

TEST_F(DiscreteGaussianMechanismTest, APermitForAnotherCostReleasesNothing) {
  const auto mechanism = *DiscreteGaussianMechanism::create(1, {});
  const auto other = *DiscreteGaussianMechanism::create(2, {});
  EXPECT_FALSE(mechanism.release(std::int64_t{5}, PermitForTests::mint(other.cost()), stream_));
}

TEST_F(DiscreteGaussianMechanismTest, HalfWidthIsTheSmallestThatCovers) {
  // Variances on both sides of where sums give way to integrals.
  for (const char* rho :
       {"1000", "10", "1", "1/2", "0.02", "1/7000", "1/8190", "1/8194", "1e-6", "1e-8"}) {
    const auto mechanism = *DiscreteGaussianMechanism::create(number(rho), {});
    const auto variance = static_cast<long double>(mechanism.variance().approximate());
    for (const double confidence : {0.01, 0.5, 0.9, 0.95, 0.999999}) {
      const std::int64_t w = *mechanism.half_width(confidence);
      const long double alpha = 1 - static_cast<long double>(confidence);
      EXPECT_LE(exact_tail(variance, w), alpha) << rho << " " << confidence;
      // Below one sigma the bound gives away at most a step.
      const std::int64_t slack = confidence < 0.69 && variance > 4000 ? 2 : 1;
      if (w >= slack) {
        EXPECT_GT(exact_tail(variance, w - slack), alpha) << rho << " " << confidence;
      }
    }
  }
}

TEST_F(DiscreteGaussianMechanismTest, HalfWidthAtTheLargestScales) {
  const auto mechanism = *DiscreteGaussianMechanism::create(number("1e-24"), {});
  const double sigma = std::sqrt(mechanism.variance().approximate());
  EXPECT_NEAR(static_cast<double>(*mechanism.half_width(0.95)) / sigma, 1.959963984540054, 1e-9);
  EXPECT_NEAR(static_cast<double>(*mechanism.half_width(0.5)) / sigma, 0.6744897501960817, 1e-9);
}

TEST_F(DiscreteGaussianMechanismTest, NoiseHasTheStatedLaw) {
  const IntegerCells cells(-25, 1, 52);
  const long double variance = 25;
  const auto below = [&](std::int64_t x) {
    const long double outside = exact_tail(variance, std::abs(x) - (x > 0 ? 1 : 0));
    return static_cast<double>(x > 0 ? 1 - outside / 2 : outside / 2);
  };
  const auto law = testing::cell_law(cells, below);
  const auto verdict = [&](const char* rho) {
    const auto mechanism = *DiscreteGaussianMechanism::create(number(rho), repeated(1));
    return testing::fits_law(count_values(cells, release_many(mechanism, 0, stream_)), law);
  };
  expect_accepts(verdict("1/50"));
  expect_rejects_wrong(verdict("100/4050"), "sigma 10% small");
  expect_rejects_wrong(verdict("100/6050"), "sigma 10% large");
}

// delta(epsilon) of the continuous Gaussian with the given ratio of sensitivity to sigma.
double gaussian_delta_of(double mu, double epsilon) {
  const auto above = [](double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); };
  return above(epsilon / mu - mu / 2) - std::exp(epsilon) * above(epsilon / mu + mu / 2);
}

TEST_F(DiscreteGaussianMechanismTest, NeighboursCannotBeToldApartBeyondEpsilonAndDelta) {
  // Variance 400, moved by 20: close to the Gaussian at ratio 1, whose delta at epsilon 1 is
  // 0.1269; theorem 2 adds (1 + e) / 6400.
  const double claimed = gaussian_delta_of(1, 1) + (1 + std::exp(1.0)) / (16 * 400);
  const IntegerCells cells(-70, 2, 92);
  const auto verdict = [&](const char* rho, std::uint64_t sensitivity, std::int64_t moved) {
    const auto mechanism = *DiscreteGaussianMechanism::create(number(rho), repeated(sensitivity));
    return testing::audit_privacy({1.0, claimed},
                                  {count_values(cells, release_many(mechanism, 0, stream_)),
                                   count_values(cells, release_many(mechanism, moved, stream_))});
  };
  expect_accepts(verdict("1/2", 20, 20));
  expect_accepts(verdict("1/2", 20, 11));
  expect_rejects_wrong(verdict("50/81", 20, 20), "sigma 10% small");
  expect_rejects_wrong(verdict("1/2", 20, 21), "neighbours one farther apart than claimed");
}

// The hockey-stick divergence of discrete noise from itself moved by `distance`.
double discrete_delta_of(double variance, int distance, double epsilon) {
  const int far = static_cast<int>(12 * std::sqrt(variance)) + distance;
  double all = 0;
  for (int x = -far; x <= far; ++x) all += std::exp(-x * x / (2 * variance));
  double delta = 0;
  for (int x = -far; x <= far; ++x) {
    const int moved = x - distance;
    delta += std::max(0.0, std::exp(-x * x / (2 * variance)) -
                               std::exp(epsilon - moved * moved / (2 * variance)));
  }
  return delta / all;
}

// Theorem 3 of proof.md; noise of a variance 2% less is told apart better.
TEST(DiscreteGaussianLikeContinuous, IsNoEasierToTellApart) {
  for (const int distance : {10, 37, 100}) {
    const auto moved = static_cast<std::uint64_t>(distance);
    const auto mechanism =
        DiscreteGaussianMechanism::like_continuous(1, {.l1 = moved, .squared_l2 = moved * moved});
    ASSERT_TRUE(mechanism) << mechanism.error().message();
    EXPECT_EQ(mechanism->cost(), *Cost::leaf(cost::Gaussian{1}));
    const double variance = mechanism->variance().approximate();
    const double too_small = 0.98 * distance * distance;
    for (const double epsilon : {0.0, 0.1, 0.5, 1.0, 2.0, 4.0}) {
      const double allowed = gaussian_delta_of(1, epsilon);
      EXPECT_LE(discrete_delta_of(variance, distance, epsilon), allowed) << distance << epsilon;
      EXPECT_GT(discrete_delta_of(too_small, distance, epsilon), allowed) << distance << epsilon;
    }
  }
}

TEST(DiscreteGaussianLikeContinuous, RefusesWhatTheProofDoesNotCover) {
  EXPECT_FALSE(DiscreteGaussianMechanism::like_continuous(*Rational::ratio(1, 17), {}));
  EXPECT_FALSE(DiscreteGaussianMechanism::like_continuous(
      1, {.coordinates = (std::uint64_t{1} << 40U) + 1, .one_coordinate = false}));
  EXPECT_FALSE(DiscreteGaussianMechanism::like_continuous(1, {.l1 = 0, .squared_l2 = 0}));
}

TEST(GaussianMechanism, AnalyticCalibrationMatchesTheReference) {
  // vectors/accounting.json, analytic_gaussian_sigma.
  const auto mechanism =
      *GaussianMechanism::create(number("0.5"), number("1e-5"), RealSensitivity{});
  const auto& leaf = std::get<cost::DiscreteGaussian>(mechanism.cost().node());
  const double sigma =
      std::sqrt(leaf.variance.approximate()) * mechanism.grid().step().approximate();
  EXPECT_GE(sigma, 7.03182667558249);
  EXPECT_LT(sigma, 7.03182667558249 * 1.0002);
  EXPECT_NEAR(*mechanism.half_width(0.95), 1.959963984540054 * sigma, 1e-6);
}

TEST(GaussianMechanism, ChargesForRoundingToTheGrid) {
  const auto mechanism = *GaussianMechanism::create(
      number("0.5"), {.norm = number("1/3"), .coordinates = 9, .one_coordinate = false});
  const auto& leaf = std::get<cost::DiscreteGaussian>(mechanism.cost().node());
  const Rational steps = number("1/3") / mechanism.grid().step() + Rational(3);
  EXPECT_GE(Rational(static_cast<std::int64_t>(leaf.squared_sensitivity)), steps * steps);
  EXPECT_EQ(leaf.coordinates, 9U);
}

TEST(GaussianMechanism, ReleasesNumbersNearTheValue) {
  SecureStream stream = *SecureStream::create();
  const auto mechanism = *GaussianMechanism::create(
      Rational(50), {.norm = 1, .coordinates = 3, .one_coordinate = false});
  const std::vector<double> values{0.5, std::numeric_limits<double>::infinity(), std::nan("")};
  const auto released = *mechanism.release(values, PermitForTests::mint(mechanism.cost()), stream);
  EXPECT_NEAR(released.value[0], 0.5, 1.5);
  EXPECT_TRUE(std::isfinite(released.value[1]));
  EXPECT_NEAR(released.value[2], 0, 1.5);
  EXPECT_EQ(released.interval.half_width, *mechanism.half_width(0.95));
  EXPECT_FALSE(GaussianMechanism::create(0, RealSensitivity{}));
  EXPECT_FALSE(GaussianMechanism::create(1, {.norm = 0}));
}

}  // namespace
}  // namespace tacit
