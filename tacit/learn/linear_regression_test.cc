#include "tacit/learn/linear_regression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tacit/learn/presented.h"
#include "tacit/learn/testing/learn_test.h"

namespace tacit::learn {
namespace {

using testing::Contains;
using testing::HasSubstr;

// y = 3 + 2 a - b + noise of deviation 1, of rows with a in [0, 10] and b in [-5, 5].
Moments moments_of(std::size_t rows, double deviation, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  Moments out{.features = {{.name = "a", .sql = "a", .lower = 0, .upper = 10},
                           {.name = "b", .sql = "b", .lower = -5, .upper = 5},
                           {.name = "y", .sql = "y", .lower = -20, .upper = 40}},
              .sums = SymmetricMatrix(4),
              .noise = {.gaussian = true, .deviation = deviation},
              .half_width = 1.96 * deviation};
  for (std::size_t row = 0; row < rows; ++row) {
    const double a = 10 * uniform(generator);
    const double b = 10 * uniform(generator) - 5;
    const double y = 3 + 2 * a - b + normal(generator);
    const std::vector<double> z{1, (a - 5) / 5, b / 5, (y - 10) / 30};
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j <= i; ++j) out.sums.set(i, j, out.sums.at(i, j) + z[i] * z[j]);
    }
  }
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      out.sums.set(i, j, out.sums.at(i, j) + deviation * normal(generator));
    }
  }
  return out;
}

TEST(LinearRegression, FindsTheLine) {
  for (const auto method : {RegressionMethod::kStatistics, RegressionMethod::kFunctional}) {
    const auto model = linear_regression(moments_of(20000, 1, 3), method, 0.95);
    EXPECT_NEAR(model.intercept.value, 3, 0.5);
    EXPECT_NEAR(model.slopes[0].value, 2, 0.1);
    EXPECT_NEAR(model.slopes[1].value, -1, 0.1);
    EXPECT_NEAR(model.residual_deviation, 1, 0.5);
    EXPECT_GT(model.explained, 0.9);
  }
}

// Half-widths cover the truth about as often as they say: 95% of 200 slopes. Were they right, fewer
// than 160 would be a chance far below one in a billion; these seeds are fixed.
TEST(LinearRegression, HalfWidthsCoverNoiseAndSampling) {
  int covered = 0;
  double widths = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto model =
        linear_regression(moments_of(2000, 2, seed), RegressionMethod::kStatistics, 0.95);
    covered += std::abs(model.slopes[0].value - 2) <= model.slopes[0].half_width ? 1 : 0;
    covered += std::abs(model.slopes[1].value + 1) <= model.slopes[1].half_width ? 1 : 0;
    widths += model.slopes[0].half_width;
  }
  EXPECT_GE(covered, 160);
  EXPECT_LT(widths / 100, 0.5) << "and are of use";
}

TEST(LinearRegression, NoiseWithoutPrivacyWouldBeNarrower) {
  const auto noisy =
      linear_regression(moments_of(2000, 10, 1), RegressionMethod::kStatistics, 0.95);
  const auto plain =
      linear_regression(moments_of(2000, 0.001, 1), RegressionMethod::kStatistics, 0.95);
  EXPECT_GT(noisy.slopes[0].half_width, 2 * plain.slopes[0].half_width);
  EXPECT_EQ(plain.ridge, 0);
}

TEST(LinearRegression, MatricesThatNoiseMadeIndefiniteStillHaveALine) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const auto method : {RegressionMethod::kStatistics, RegressionMethod::kFunctional}) {
      const auto model = linear_regression(moments_of(300, 80, seed), method, 0.95);
      EXPECT_TRUE(std::isfinite(model.slopes[0].value));
      EXPECT_TRUE(std::isfinite(model.slopes[0].half_width));
      EXPECT_GT(model.ridge, 0);
    }
  }
}

// It was paid for, so something is given: a line that a large ridge has drawn toward nothing.
TEST(LinearRegression, OfNoiseAloneIsDrawnTowardNothing) {
  Moments few = moments_of(100, 1, 6);
  few.sums.set(0, 0, -3);
  const auto model = linear_regression(few, RegressionMethod::kStatistics, 0.95);
  EXPECT_TRUE(std::isfinite(model.slopes[0].value));
  EXPECT_TRUE(std::isfinite(model.slopes[0].half_width));
  EXPECT_GT(model.ridge, 0);
}

using LinearRegressionPlan = LearnTest;

TEST_F(LinearRegressionPlan, ExplainsTheLastOfItsFeatures) {
  create("SELECT 1.0::DOUBLE AS a, 2.0::DOUBLE AS y", {real("a", 0, 10), real("y", -20, 40)});
  const auto plan = plan_linear_regression({.from = "people", .columns = {"a"}}, "y",
                                           {.epsilon = Rational(1)}, schema_, *embedded_);
  ASSERT_TRUE(plan) << plan.error().message();
  ASSERT_EQ(plan->features.size(), 2U);
  EXPECT_EQ(plan->features.back().name, "y");
}

TEST_F(LinearRegressionPlan, RefusesATargetAlone) {
  create("SELECT 2.0::DOUBLE AS y", {real("y", -20, 40)});
  const auto refused = plan_linear_regression({.from = "people"}, "y", {.epsilon = Rational(1)},
                                              schema_, *embedded_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kBadInput);
  EXPECT_THAT(refused.error().message(), HasSubstr("--columns"));
}

TEST(LinearRegression, IsPresentedInItsOwnUnits) {
  const auto model = linear_regression(moments_of(500, 30, 2), RegressionMethod::kFunctional, 0.95);
  const Presented shown = present(model, 0.95);
  EXPECT_EQ(shown.table.columns[0].values[1], Cell(std::string("a")));
  EXPECT_EQ(shown.json["slopes"][0]["value"], model.slopes[0].value);
  EXPECT_EQ(shown.json["target"]["name"], "y");
  EXPECT_THAT(shown.remarks, Contains(HasSubstr("ridge")));
}

}  // namespace
}  // namespace tacit::learn
