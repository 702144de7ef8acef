#include "tacit/privacy/pld.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace tacit {
namespace {

Rational number(double value) { return *Rational::decimal(value); }

Cost gaussian(double noise) { return *Cost::leaf(cost::Gaussian{number(noise)}); }
Cost laplace(double noise) { return *Cost::leaf(cost::Laplace{number(noise)}); }
Cost sampled(double rate, const Cost& part) { return *Cost::poisson_sample(number(rate), part); }
Cost repeated(std::uint64_t times, const Cost& part) { return *Cost::repeat(times, part); }

nlohmann::json vectors() {
  const char* shared = std::getenv("TACIT_SHARED");
  const std::filesystem::path folder = shared != nullptr ? shared : TACIT_SOURCE_DIR "/../shared";
  std::ifstream file(folder / "vectors" / "accounting.json");
  return file ? nlohmann::json::parse(file) : nlohmann::json();
}

TEST(PldVectors, SubsampledGaussianBracketsHoldTheTightValue) {
  const nlohmann::json all = vectors();
  if (all.is_null()) GTEST_SKIP() << "no shared vectors; set TACIT_SHARED to their folder";
  for (const nlohmann::json& item : all["subsampled_gaussian"]) {
    const Cost cost = repeated(item["steps"], sampled(item["q"], gaussian(item["sigma"])));
    const Result<Bracket> bracket = pld_epsilon(cost, item["delta"]);
    ASSERT_TRUE(bracket) << bracket.error().message();
    // The value is given to five or six digits.
    const double value = item["pld"];
    const double half_digit = value * 5e-5;
    EXPECT_LE(bracket->lower, value + half_digit) << item;
    EXPECT_GE(bracket->upper, value - half_digit) << item;
    EXPECT_LE(bracket->upper - bracket->lower, 1e-3 * bracket->upper) << item;
  }
}

TEST(PldVectors, LaplaceScalesMeetTheirTarget) {
  const nlohmann::json all = vectors();
  if (all.is_null()) GTEST_SKIP() << "no shared vectors; set TACIT_SHARED to their folder";
  const nlohmann::json& item = all["laplace_scale_for_target"];
  for (const nlohmann::json& value : item["values"]) {
    const Result<Bracket> bracket =
        pld_epsilon(repeated(value[0], laplace(value[1])), item["delta"]);
    ASSERT_TRUE(bracket) << bracket.error().message();
    EXPECT_NEAR(bracket->upper, item["epsilon"], 1e-4);
    EXPECT_NEAR(bracket->lower, item["epsilon"], 1e-4);
  }
}

TEST(Pld, RefusesTargetsWithoutMeaning) {
  EXPECT_FALSE(pld_epsilon(gaussian(1), 0));
  EXPECT_FALSE(pld_epsilon(gaussian(1), 1));
  EXPECT_FALSE(pld_epsilon(gaussian(1), std::nan("")));
  EXPECT_FALSE(pld_delta(gaussian(1), -1));
  EXPECT_FALSE(pld_delta(gaussian(1), std::nan("")));
}

}  // namespace
}  // namespace tacit
