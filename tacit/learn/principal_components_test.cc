#include "tacit/learn/principal_components.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tacit/learn/presented.h"

namespace tacit::learn {
namespace {

using testing::Contains;
using testing::HasSubstr;

// Rows (t, t) and (t, -t) scaled: variance 0.25 along (1, 1), 0.01 along (1, -1), of [-1, 1]^2.
Moments diagonal(double rows, double deviation) {
  Moments out{.features = {{.name = "a", .sql = "a", .lower = -10, .upper = 10},
                           {.name = "b", .sql = "b", .lower = -10, .upper = 10}},
              .sums = SymmetricMatrix(3),
              .noise = {.gaussian = true, .deviation = deviation},
              .half_width = 1.96 * deviation};
  out.sums.set(0, 0, rows);
  out.sums.set(0, 1, 0.1 * rows);
  out.sums.set(1, 1, (0.13 + 0.01) * rows);
  out.sums.set(2, 2, 0.13 * rows);
  out.sums.set(1, 2, 0.12 * rows);
  return out;
}

TEST(PrincipalComponents, AreThoseOfTheCovariance) {
  const auto model = principal_components(diagonal(1000, 1), false);
  EXPECT_NEAR(model.means[0], 1, 1e-9);
  EXPECT_NEAR(model.components[0].variance, 25, 1e-9);
  EXPECT_NEAR(model.components[1].variance, 1, 1e-9);
  EXPECT_NEAR(model.components[0].direction[0], std::sqrt(0.5), 1e-9);
  EXPECT_NEAR(model.components[0].direction[1], std::sqrt(0.5), 1e-9);
  EXPECT_NEAR(model.components[0].share, 25.0 / 26, 1e-9);
  EXPECT_NEAR(model.covariance.at(0, 1), 12, 1e-9);
  const auto scaled = principal_components(diagonal(1000, 1), true);
  EXPECT_NEAR(scaled.components[0].variance, 0.25, 1e-9);
}

TEST(PrincipalComponents, NegativeVariancesOfNoiseAreBroughtToZero) {
  Moments moments = diagonal(1000, 1);
  moments.sums.set(1, 2, 0.2 * 1000);
  const auto model = principal_components(moments, false);
  EXPECT_EQ(model.components[1].variance, 0);
  EXPECT_GE(model.covariance.at(0, 0) * model.covariance.at(1, 1) + 1e-6,
            model.covariance.at(0, 1) * model.covariance.at(0, 1));
}

TEST(PrincipalComponents, SayWhatMayBeNoise) {
  const auto clear = principal_components(diagonal(100000, 1), false);
  const auto blurred = principal_components(diagonal(100, 1), false);
  EXPECT_LT(clear.noise_floor, clear.components[1].variance);
  EXPECT_GT(blurred.noise_floor, blurred.components[1].variance);
  EXPECT_THAT(present(blurred, 0.95).remarks, Contains(HasSubstr("says nothing")));
  EXPECT_EQ(present(clear, 0.95).remarks.size(), 1U);
  EXPECT_EQ(present(clear, 0.95).json["components"].size(), 2U);
}

// It was paid for, so something is given, and it is said what it is worth.
TEST(PrincipalComponents, OfNoiseAloneSayNothing) {
  const auto model = principal_components(diagonal(1, 10), false);
  EXPECT_TRUE(std::isfinite(model.components[0].variance));
  EXPECT_GT(model.noise_floor, model.components[0].variance);
  EXPECT_THAT(present(model, 0.95).remarks, Contains(HasSubstr("says nothing")));
}

}  // namespace
}  // namespace tacit::learn
