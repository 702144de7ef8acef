#include "tacit/privacy/optimal_composition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>

#include "tacit/privacy/advanced.h"
#include "tacit/privacy/testing/costs.h"
#include "tacit/privacy/testing/shared_vectors.h"

namespace tacit {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing_costs::number;

Cost approximate(const Rational& epsilon, const Rational& delta) {
  return Cost::leaf(cost::Approximate{epsilon, delta}).value();
}
Cost pure(std::string_view epsilon) { return approximate(number(epsilon), 0); }

using OptimalVectors = SharedVectors;

TEST_F(OptimalVectors, TheExactCurve) {
  for (const json& row : vectors_.at("optimal_composition")) {
    const Cost cost = Cost::repeat(row.at("times").get<std::uint64_t>(),
                                   approximate(Rational::decimal(row.at("epsilon")).value(),
                                               Rational::decimal(row.at("delta")).value()))
                          .value();
    for (const json& point : row.at("total")) {
      EXPECT_NEAR(optimal_epsilon(cost, point[0]).value(), point[1].get<double>(), 6e-5);
    }
    for (const json& point : row.at("grid_points")) {
      EXPECT_LE(optimal_delta(cost, point[1]).value(), point[0].get<double>());
    }
  }
}

// Theorem 3.3 as it is printed, at its grid of epsilons.
TEST(OptimalComposition, IsTheTheoremAtItsGridPoints) {
  const double epsilon = 0.3;
  const int k = 12;
  const Cost cost = Cost::repeat(k, approximate(number("0.3"), number("0.001"))).value();
  for (int i = 0; i <= k / 2; ++i) {
    double sum = 0;
    for (int l = 0; l < i; ++l) {
      const double choose =
          std::exp(std::lgamma(k + 1) - std::lgamma(l + 1) - std::lgamma(k - l + 1));
      sum += choose * (std::exp((k - l) * epsilon) - std::exp((k - 2 * i + l) * epsilon));
    }
    sum /= std::pow(1 + std::exp(epsilon), k);
    const double delta = 1 - std::pow(1 - 0.001, k) * (1 - sum);
    EXPECT_NEAR(optimal_delta(cost, (k - 2 * i) * epsilon).value(), delta, 1e-12) << i;
  }
}

// Unequal epsilons, against the sum over all subsets of Murtagh and Vadhan.
TEST(OptimalComposition, IsTheSumOverSubsets) {
  const std::vector<double> epsilons{0.1, 0.25, 0.25, 0.7, 1.5};
  const Cost cost =
      Cost::compose({pure("0.1"), pure("0.25"), pure("0.25"), pure("0.7"), pure("1.5")}).value();
  const double total = std::accumulate(epsilons.begin(), epsilons.end(), 0.0);
  double normal = 1;
  for (const double e : epsilons) normal *= 1 + std::exp(e);
  for (const double epsilon : {0.0, 0.3, 1.0, 2.0, 2.7}) {
    double delta = 0;
    for (unsigned subset = 0; subset < 32; ++subset) {
      double inside = 0;
      for (unsigned i = 0; i < 5; ++i) {
        if ((subset >> i & 1U) != 0) inside += epsilons[i];
      }
      delta += std::max(0.0, std::exp(inside) - std::exp(epsilon + total - inside)) / normal;
    }
    EXPECT_NEAR(optimal_delta(cost, epsilon).value(), delta, 1e-13) << epsilon;
    EXPECT_GE(optimal_delta(cost, epsilon).value(), delta);
  }
  EXPECT_EQ(optimal_delta(cost, 3).value(), 0);
  EXPECT_NEAR(optimal_epsilon(cost, 0).value(), total, 1e-9);
}

TEST(OptimalComposition, IsNoWorseThanAnyOther) {
  for (const std::uint64_t times : {1U, 10U, 1000U, 100000U}) {
    const Cost cost = Cost::repeat(times, pure("0.01")).value();
    const double optimal = optimal_epsilon(cost, 1e-6).value();
    EXPECT_LE(optimal, advanced_epsilon(cost, 1e-6).value());
    EXPECT_LE(optimal, basic_epsilon(cost, 1e-6).value() * (1 + 1e-10));
    EXPECT_LE(optimal_delta(cost, optimal).value(), 1e-6);
  }
}

TEST(OptimalComposition, AMillionTimes) {
  const Cost cost = Cost::repeat(1'000'000, pure("0.01")).value();
  const double epsilon = optimal_epsilon(cost, 1e-6).value();
  // The loss is close to N(50, 10^2); one tail of it at 1e-6 lies 4.75 deviations up, a little less
  // for the share of it that delta counts.
  EXPECT_GT(epsilon, 90);
  EXPECT_LT(epsilon, 97.6);
}

TEST(OptimalComposition, RefusesWhatIsOutOfReach) {
  std::vector<Cost> parts;
  for (int i = 1; i <= 30; ++i) parts.push_back(pure(std::to_string(i) + "/100"));
  EXPECT_THAT(optimal_epsilon(Cost::compose(parts).value(), 1e-5).error().what,
              HasSubstr("#P-complete"));
  EXPECT_FALSE(optimal_epsilon(Cost::leaf(cost::Renyi{{{2, 1}}}).value(), 1e-5));
}

}  // namespace
}  // namespace tacit
