#include "tacit/privacy/renyi_leaves.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tacit/privacy/testing/big.h"

namespace tacit::renyi {
namespace {

using testing_numbers::Big;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<double> kOrders = {1.001, 1.5, 2, 3.7, 16, 200};

void expect_tight(double bound, double truth, double relative = 1e-12) {
  EXPECT_GE(bound, truth);
  EXPECT_LE(bound, truth * (1 + relative) + 1e-300);
}

double divergence(const Big& moment, double order) {
  return (log(moment) / (Big(order) - Big(1))).to_double();
}

// The sum over outcomes of p^a q^(1-a).
double of_outcomes(const std::vector<std::pair<Big, Big>>& outcomes, double order) {
  Big moment = 0;
  for (const auto& [p, q] : outcomes) {
    moment = moment + pow(p, order) * pow(q, Big(1) - Big(order));
  }
  return divergence(moment, order);
}

std::vector<std::pair<Big, Big>> randomized_response(int categories, double epsilon) {
  const Big lie = Big(1) / (exp(Big(epsilon)) + Big(categories - 1));
  const Big truth = lie * exp(Big(epsilon));
  std::vector<std::pair<Big, Big>> outcomes = {{truth, lie}, {lie, truth}};
  for (int i = 2; i < categories; ++i) outcomes.emplace_back(lie, lie);
  return outcomes;
}

TEST(RenyiLeaves, PureIsRandomizedResponseOnABit) {
  for (const double order : kOrders) {
    for (const double epsilon : {1e-9, 1e-3, 0.1, 1.0, 10.0, 300.0}) {
      expect_tight(of_pure(epsilon, order), of_outcomes(randomized_response(2, epsilon), order));
      EXPECT_LE(of_pure(epsilon, order), epsilon);
      EXPECT_LE(of_pure(epsilon, order), order * epsilon * epsilon / 2 * (1 + 1e-12));
    }
  }
  EXPECT_EQ(of_pure(0, 2), 0);
  EXPECT_EQ(of_pure(kInfinity, 2), kInfinity);
  EXPECT_LE(of_pure(1e-3, 1e12), 1e-3);
}

TEST(RenyiLeaves, RandomizedResponseOnCategories) {
  for (const double order : kOrders) {
    for (const int categories : {2, 3, 10, 100}) {
      for (const double epsilon : {1e-6, 0.5, 3.0, 20.0}) {
        expect_tight(of_randomized_response(categories, epsilon, order),
                     of_outcomes(randomized_response(categories, epsilon), order));
      }
    }
  }
}

// The integral of p^a q^(1-a) over the three pieces of the line, by Gauss-Legendre on the middle
// one, where the integrand is one exponential.
double of_laplace_densities(double noise, double order) {
  const Big b = noise;
  const Big a = order;
  const Big shift = Big(1) / b;
  // Outside [0, 1] the ratio of densities is constant and each density has mass e^-shift / 2 or
  // 1/2 there.
  const Big below = exp((Big(1) - a) * shift) * exp(Big(0)) / Big(2) * exp(Big(0) - shift);
  const Big above = exp((a - Big(1)) * shift) / Big(2);
  // Cut the middle into pieces and use the midpoint with Richardson extrapolation.
  const auto midpoint = [&](int pieces) {
    Big sum = 0;
    for (int i = 0; i < pieces; ++i) {
      const Big x = (Big(i) + Big(0.5)) / Big(pieces);
      sum = sum + exp((Big(0) - a) * (Big(1) - x) * shift + (a - Big(1)) * x * shift);
    }
    return sum / Big(pieces) * shift / Big(2);
  };
  std::vector<Big> row;
  for (int level = 0; level < 9; ++level) {
    std::vector<Big> next = {midpoint(4 << level)};
    double factor = 4;
    for (const Big& coarse : row) {
      next.push_back(next.back() + (next.back() - coarse) / Big(factor - 1));
      factor *= 4;
    }
    row = next;
  }
  return divergence(below + row.back() + above, order);
}

TEST(RenyiLeaves, LaplaceIsTheIntegralOfItsDensities) {
  for (const double order : {1.5, 2.0, 3.7, 16.0}) {
    for (const double noise : {0.5, 1.0, 3.0, 100.0}) {
      expect_tight(of_laplace(noise, order), of_laplace_densities(noise, order), 1e-11);
    }
  }
  for (const double order : kOrders) {
    EXPECT_LE(of_laplace(1e9, order), of_pure(1e-9 * (1 + 1e-15), order));
    EXPECT_LE(of_laplace(1e-3, order), 1000 * (1 + 1e-15));
  }
}

double of_discrete_laplace_sum(double scale, int shift, double order) {
  const Big rate = Big(1) / Big(scale);
  const Big norm = (Big(1) - exp(Big(0) - rate)) / (Big(1) + exp(Big(0) - rate));
  const int far = static_cast<int>(120 * scale) + 2 * shift;
  Big moment = 0;
  for (int x = -far; x <= far + shift; ++x) {
    const Big from_shift = std::abs(x - shift);
    const Big from_zero = std::abs(x);
    moment = moment + exp(rate * ((Big(order) - Big(1)) * from_zero - Big(order) * from_shift));
  }
  return divergence(moment * norm, order);
}

TEST(RenyiLeaves, DiscreteLaplaceIsTheSumOverTheIntegers) {
  for (const double order : {1.5, 2.0, 16.0}) {
    for (const double scale : {0.2, 1.0, 7.5}) {
      for (const int shift : {1, 2, 9}) {
        expect_tight(of_discrete_laplace(scale, shift, order),
                     of_discrete_laplace_sum(scale, shift, order), 1e-11);
      }
    }
  }
  // On a fine grid it is the continuous one.
  EXPECT_NEAR(of_discrete_laplace(1e6, 1e6, 3), of_laplace(1, 3), 1e-6);
}

TEST(RenyiLeaves, BoundedRangeIsTheWorstOfItsIntervals) {
  for (const double order : {1.5, 2.0, 10.0, 50.0}) {
    for (const double epsilon : {0.1, 1.0, 5.0}) {
      double worst = 0;
      for (int i = 0; i <= 500; ++i) {
        const Big high = Big(epsilon) * Big(i) / Big(500);
        const Big low = high - Big(epsilon);
        const Big q = (Big(1) - exp(low)) / (exp(high) - exp(low));
        const Big moment = q * exp(Big(order) * high) + (Big(1) - q) * exp(Big(order) * low);
        worst = std::max(worst, divergence(moment, order));
      }
      expect_tight(of_bounded_range(epsilon, order), worst, 1e-4);
      EXPECT_LE(of_bounded_range(epsilon, order), order * epsilon * epsilon / 8 * (1 + 1e-12));
    }
  }
}

TEST(RenyiLeaves, PointsAreReadByMonotonicityAndConvexityOnly) {
  const std::vector<std::pair<double, double>> points = {{2, 0.5}, {4, 1.5}, {8, 1.6}};
  EXPECT_EQ(of_points(points, 1.5), 0.5);
  EXPECT_EQ(of_points(points, 2), 0.5);
  expect_tight(of_points(points, 3), (0.5 * 0.5 + 0.5 * 3 * 1.5) / 2);
  EXPECT_EQ(of_points(points, 8), 1.6);
  EXPECT_EQ(of_points(points, 8.1), kInfinity);
  // A Gaussian's own curve, sampled, is bounded by what the samples say.
  const std::vector<std::pair<double, double>> gaussian = {{2, 2}, {3, 3}, {10, 10}};
  for (int tenths = 11; tenths <= 100; ++tenths) {
    EXPECT_GE(of_points(gaussian, tenths / 10.0), tenths / 10.0);
  }
}

RC_GTEST_PROP(RenyiLeaves, MonotoneInOrderAndNoise, ()) {
  const double noise = *rc::gen::inRange(1, 5000) / 100.0;
  const double order = 1 + *rc::gen::inRange(1, 10000) / 100.0;
  const double more = order * 1.01;
  RC_ASSERT(of_laplace(noise, order) <= of_laplace(noise, more));
  RC_ASSERT(of_laplace(noise, order) >= of_laplace(noise * 1.01, order));
  RC_ASSERT(of_discrete_laplace(noise, 3, order) <= of_discrete_laplace(noise, 3, more));
  RC_ASSERT(of_discrete_laplace(noise, 3, order) <= of_discrete_laplace(noise, 4, order));
  RC_ASSERT(of_pure(1 / noise, order) <= of_pure(1 / noise, more));
  RC_ASSERT(of_bounded_range(1 / noise, order) <= of_bounded_range(1 / noise, more));
  RC_ASSERT(of_bounded_range(1 / noise, order) <= of_pure(1 / noise, order));
}

}  // namespace
}  // namespace tacit::renyi
