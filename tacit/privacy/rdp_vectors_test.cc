#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tacit/privacy/rdp.h"
#include "tacit/privacy/testing/shared_vectors.h"

namespace tacit {
namespace {

using nlohmann::json;

Cost steps(const json& row) {
  const Rational rate = Rational::decimal(row.at("q")).value();
  const Rational noise = Rational::decimal(row.at("sigma")).value();
  const Cost gaussian = Cost::leaf(cost::Gaussian{noise}).value();
  const Cost sampled = Cost::poisson_sample(rate, gaussian).value();
  return Cost::repeat(row.at("steps").get<std::uint64_t>(), sampled).value();
}

// 1e-9 relative, or half a unit of the last digit given where that is more.
double tolerance(const json& value) {
  const std::string text = value.dump();
  const auto point = text.find('.');
  const auto exponent = text.find('e');
  const std::string mantissa = text.substr(0, exponent);
  const double decimals =
      point == std::string::npos ? 0 : static_cast<double>(mantissa.size() - point - 1);
  const double scale = exponent == std::string::npos ? 0 : std::stod(text.substr(exponent + 1));
  return std::max(1e-9 * value.get<double>(), 0.5001 * std::pow(10.0, scale - decimals));
}

using RdpVectors = SharedVectors;

TEST_F(RdpVectors, SubsampledGaussianAtItsOrder) {
  for (const json& row : vectors_.at("subsampled_gaussian")) {
    const std::vector orders = {row.at("order").get<double>()};
    const double epsilon = rdp_epsilon_at(steps(row), row.at("delta"), orders)->epsilon;
    EXPECT_NEAR(epsilon, row.at("rdp").get<double>(), tolerance(row.at("rdp"))) << row;
  }
}

TEST_F(RdpVectors, SubsampledGaussianAtTheBestOrder) {
  for (const json& row : vectors_.at("subsampled_gaussian")) {
    const RdpEpsilon best = rdp_epsilon(steps(row), row.at("delta")).value();
    EXPECT_LE(best.epsilon, row.at("rdp").get<double>() + tolerance(row.at("rdp"))) << row;
    EXPECT_GE(best.epsilon, row.at("pld").get<double>() - tolerance(row.at("pld"))) << row;
    EXPECT_NEAR(best.order, row.at("order").get<double>(), 0.5) << row;
  }
}

TEST_F(RdpVectors, SubsampledGaussianByTheOlderConversion) {
  std::vector<double> orders;
  for (int tenths = 11; tenths < 110; ++tenths) orders.push_back(tenths / 10.0);
  for (int whole = 11; whole <= 64; ++whole) orders.push_back(whole);
  for (const json& row : vectors_.at("subsampled_gaussian")) {
    if (!row.contains("rdp_classic")) continue;
    const RenyiBound bound = renyi_bound(steps(row), orders).value();
    double best = 1e9;
    for (std::size_t i = 0; i < orders.size(); ++i) {
      best = std::min(best, rdp_to_epsilon_classic(bound.epsilons[i], orders[i], row.at("delta")));
    }
    EXPECT_NEAR(best, row.at("rdp_classic").get<double>(), tolerance(row.at("rdp_classic"))) << row;
  }
}

TEST_F(RdpVectors, SubsampledCurve) {
  const json& curve = vectors_.at("subsampled_rdp_curve");
  for (const json& point : curve.at("values")) {
    const std::vector orders = {point.at(0).get<double>()};
    const double epsilon = renyi_bound(steps(curve), orders)->epsilons.front();
    EXPECT_NEAR(epsilon, point.at(1).get<double>(), tolerance(point.at(1))) << point;
  }
}

TEST_F(RdpVectors, NoiseForATarget) {
  for (json row : vectors_.at("noise_for_target")) {
    const double delta = row.at("delta");
    const double epsilon = row.at("epsilon");
    EXPECT_LE(rdp_epsilon(steps(row), delta)->epsilon, epsilon * (1 + 1e-5)) << row;
    row["sigma"] = row.at("sigma").get<double>() * 0.9;
    EXPECT_GT(rdp_epsilon(steps(row), delta)->epsilon, epsilon * 1.05)
        << "noise 10% too small must be seen";
  }
}

TEST_F(RdpVectors, ZeroConcentrated) {
  for (const json& row : vectors_.at("zcdp")) {
    const Cost cost = Cost::leaf(cost::Zcdp{Rational::decimal(row.at("rho")).value(), 0}).value();
    const double epsilon = row.at("epsilon");
    const double delta = row.at("delta");
    EXPECT_NEAR(rdp_epsilon(cost, delta)->epsilon, epsilon, 1e-9 * epsilon) << row;
    EXPECT_NEAR(rdp_delta(cost, epsilon).value(), delta, 1e-9 * delta) << row;
  }
}

}  // namespace
}  // namespace tacit
