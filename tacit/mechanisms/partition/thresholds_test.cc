#include "tacit/mechanisms/partition/thresholds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tacit/mechanisms/selection/testing/run_mechanism.h"
#include "tacit/privacy/testing/shared_vectors.h"

namespace tacit {
namespace {

using testing::number;
using testing::refusal;

double laplace_tail(double scale, std::int64_t t) {
  const double y = std::exp(-1 / scale);
  return std::pow(y, static_cast<double>(t)) / (1 + y);
}

double gaussian_tail(double variance, std::int64_t t) {
  const auto weight = [&](std::int64_t z) {
    return std::exp(-static_cast<double>(z * z) / (2 * variance));
  };
  double tail = 0;
  double sum = 0;
  for (std::int64_t z = -3000; z <= 3000; ++z) {
    sum += weight(z);
    if (z >= t) tail += weight(z);
  }
  return tail / sum;
}

TEST(Thresholds, OfDiscreteLaplaceNoiseAreTheLeast) {
  for (const char* scale : {"0.1", "1", "2.5", "40"}) {
    for (const char* probability : {"0.4", "0.01", "1e-9"}) {
      const auto t = discrete_laplace_tail_point(number(scale), number(probability)).value();
      const double s = number(scale).approximate();
      const double p = number(probability).approximate();
      EXPECT_LE(laplace_tail(s, t), p * (1 + 1e-12)) << scale << " " << probability;
      if (t > 1) {
        EXPECT_GT(laplace_tail(s, t - 1), p * (1 - 1e-12)) << scale << " " << probability;
      }
    }
  }
}

TEST(Thresholds, OfDiscreteGaussianNoiseHoldAndAreNearTheLeast) {
  for (const char* variance : {"0.05", "1", "30", "10000"}) {
    for (const char* probability : {"0.01", "1e-6", "1e-12"}) {
      const auto t = discrete_gaussian_tail_point(number(variance), number(probability)).value();
      const double v = number(variance).approximate();
      const double p = number(probability).approximate();
      EXPECT_LE(gaussian_tail(v, t), p * (1 + 1e-9)) << variance << " " << probability;
      // The bound is loose by less than a tenth of a standard deviation.
      const auto slack = static_cast<std::int64_t>(std::ceil(0.1 * std::sqrt(v)));
      EXPECT_GT(gaussian_tail(v, t - 1 - slack), p) << variance << " " << probability;
    }
  }
}

TEST(Thresholds, GrowWithoutTroubleToHugeScales) {
  const Rational scale = Rational::power_of_two(40);
  const double t = static_cast<double>(discrete_laplace_tail_point(scale, number("1e-30")).value());
  EXPECT_NEAR(t / (std::ldexp(1, 40) * std::log(5e29)), 1, 1e-9);
  EXPECT_TRUE(discrete_gaussian_tail_point(Rational::power_of_two(80), number("1e-30")));
}

using ThresholdVectors = SharedVectors;

TEST_F(ThresholdVectors, AreMet) {
  const auto& reference = vectors_.at("partition_selection");
  EXPECT_NEAR(laplace_threshold(reference.at("epsilon"), reference.at("delta")),
              reference.at("laplace_threshold").get<double>(), 1e-10);
}

TEST(Thresholds, GrowWithTheGroupsOfAUnit) {
  EXPECT_NEAR(laplace_threshold(1, 0.01, 3), 1 + 3 * std::log(150.0), 1e-12);
}

TEST(Thresholds, RefuseWhatHasNoMeaning) {
  EXPECT_NE(refusal(discrete_laplace_tail_point(0, number("0.1"))), "");
  EXPECT_NE(refusal(discrete_laplace_tail_point(1, 0)), "");
  EXPECT_NE(refusal(discrete_laplace_tail_point(1, number("0.5"))), "");
  EXPECT_NE(refusal(discrete_laplace_tail_point(number("1e30"), number("0.1"))), "");
  EXPECT_NE(refusal(discrete_gaussian_tail_point(-1, number("0.1"))), "");
  EXPECT_NE(refusal(discrete_gaussian_tail_point(1, number("0.7"))), "");
}

}  // namespace
}  // namespace tacit
