#include "tacit/privacy/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tacit/privacy/gaussian_dp.h"
#include "tacit/privacy/testing/shared_vectors.h"

namespace tacit {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Result<Cost> gaussian(const Rational& noise) { return Cost::leaf(cost::Gaussian{noise}); }

CostOfNoise laplace(std::uint64_t steps) {
  return [steps](const Rational& noise) -> Result<Cost> {
    TACIT_ASSIGN_OR_RETURN(Cost step, Cost::leaf(cost::Laplace{noise}));
    return Cost::repeat(steps, std::move(step));
  };
}

using CalibrationVectors = SharedVectors;

TEST_F(CalibrationVectors, NoiseForTarget) {
  for (const json& row : vectors_.at("noise_for_target")) {
    const Rational rate = Rational::decimal(row.at("q")).value();
    const auto steps = row.at("steps").get<std::uint64_t>();
    const auto found =
        calibrate({row.at("epsilon"), row.at("delta")},
                  accountant_named(row.at("accountant").get<std::string>()).value(),
                  [&](const Rational& noise) -> Result<Cost> {
                    TACIT_ASSIGN_OR_RETURN(Cost leaf, gaussian(noise));
                    TACIT_ASSIGN_OR_RETURN(Cost step, Cost::poisson_sample(rate, std::move(leaf)));
                    return Cost::repeat(steps, std::move(step));
                  });
    EXPECT_NEAR(found.value().noise.approximate(), row.at("sigma").get<double>(), 6e-6) << row;
    EXPECT_LE(found->proved.upper, row.at("epsilon").get<double>());
  }
}

TEST_F(CalibrationVectors, LaplaceScaleByPld) {
  const json& row = vectors_.at("laplace_scale_for_target");
  for (const json& point : row.at("values")) {
    const auto found = calibrate({row.at("epsilon"), row.at("delta")}, Accountant::kPld,
                                 laplace(point[0].get<std::uint64_t>()));
    const double truth = point[1];
    EXPECT_NEAR(found.value().noise.approximate(), truth, 1e-4 * truth) << point;
  }
}

TEST(Calibration, PrefersTheShortDecimalThatMeetsTheTarget) {
  EXPECT_EQ(calibrate({1, 0}, Accountant::kPure, laplace(20)).value().noise, Rational(20));
  EXPECT_EQ(calibrate({0.1, 0}, Accountant::kPure, laplace(1)).value().noise, Rational(10));
}

TEST(Calibration, NeverExceedsTheTargetNorWastesNoise) {
  for (const double epsilon : {0.01, 0.3, 1.0, 7.0, 50.0}) {
    for (const double delta : {1e-12, 1e-5, 0.1}) {
      const auto found = calibrate({epsilon, delta}, Accountant::kGdp, gaussian).value();
      EXPECT_LE(found.proved.upper, epsilon);
      const double least = analytic_gaussian_multiplier(epsilon, delta).value();
      EXPECT_GE(found.noise.upper(), least * (1 - 1e-12)) << epsilon << " " << delta;
      EXPECT_LE(found.noise.lower(), least * (1 + 2e-6)) << epsilon << " " << delta;
    }
  }
}

TEST(Calibration, RefusesWhatCannotBeMet) {
  EXPECT_EQ(calibrate({0, 1e-5}, Accountant::kGdp, gaussian).error().where, "epsilon");
  EXPECT_EQ(calibrate({std::nan(""), 1e-5}, Accountant::kGdp, gaussian).error().where, "epsilon");
  EXPECT_EQ(calibrate({1, 2}, Accountant::kGdp, gaussian).error().where, "delta");
  EXPECT_THAT(calibrate({1, 1e-5}, Accountant::kPure, gaussian).error().what,
              HasSubstr("no pure epsilon"));
  EXPECT_THAT(calibrate({1e-14, 0}, Accountant::kPure, laplace(1)).error().what,
              HasSubstr("no noise below"));
  const CostOfNoise free = [](const Rational&) -> Result<Cost> { return Cost::nothing(); };
  EXPECT_THAT(calibrate({1, 0}, Accountant::kPure, free).error().what, HasSubstr("next to no"));
}

}  // namespace
}  // namespace tacit
