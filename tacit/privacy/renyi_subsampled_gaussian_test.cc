#include "tacit/privacy/renyi_subsampled_gaussian.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tacit/privacy/testing/big.h"

namespace tacit::renyi {
namespace {

using testing_numbers::Big;

// At an integer order: the binomial sum of Mironov, Talwar and Zhang (2019, section 3.3).
double binomial_sum(double rate, double noise, int order) {
  const Big q = rate;
  const Big twice_variance = Big(2) * Big(noise) * Big(noise);
  Big sum = 0;
  Big choose = 1;
  for (int k = 0; k <= order; ++k) {
    const Big moment = exp(Big(k) * Big(k - 1) / twice_variance);
    sum = sum + choose * pow(Big(1) - q, order - k) * pow(q, k) * moment;
    choose = choose * Big(order - k) / Big(k + 1);
  }
  return (log(sum) / Big(order - 1)).to_double();
}

// At any order: the two signed series of the same paper, where the line is cut at the point at
// which both parts of the mixture weigh the same.
double signed_series(double rate, double noise, double order) {
  const Big q = rate;
  const Big a = order;
  const Big variance = Big(noise) * Big(noise);
  const Big cut = Big(0.5) + variance * log(Big(1) / q - Big(1));
  const Big width = sqrt(Big(2) * variance);
  const auto moment = [&](const Big& k) { return exp((k * k - k) / (Big(2) * variance)) / Big(2); };
  Big sum = 0;
  Big choose = 1;
  for (int i = 0; i < 2000; ++i) {
    const Big k = i;
    const Big rest = a - k;
    const Big left = pow(Big(1) - q, rest) * pow(q, k) * moment(k) * erfc((k - cut) / width);
    const Big right = pow(Big(1) - q, k) * pow(q, rest) * moment(rest) * erfc((cut - rest) / width);
    const Big term = choose * (left + right);
    sum = sum + term;
    if (i > order && std::abs(term.to_double()) < 1e-22) break;
    choose = choose * (a - k) / Big(i + 1);
  }
  return (log(sum) / (a - Big(1))).to_double();
}

struct Case {
  double rate;
  double noise;
  double order;
};

void expect_tight(const Case& at, double truth) {
  const double bound = of_subsampled_gaussian(at.rate, at.noise, at.order);
  const std::string name =
      std::to_string(at.rate) + " " + std::to_string(at.noise) + " " + std::to_string(at.order);
  EXPECT_GE(bound, truth) << name;
  EXPECT_LE(bound, truth * (1 + 2e-12)) << name;
}

TEST(RenyiSubsampledGaussian, IsTheBinomialSumAtIntegerOrders) {
  for (const double rate : {1e-6, 1e-3, 0.01, 0.2, 0.9}) {
    for (const double noise : {0.4, 0.8, 1.0, 2.5, 20.0}) {
      for (const int order : {2, 3, 8, 33, 200}) {
        expect_tight({rate, noise, static_cast<double>(order)}, binomial_sum(rate, noise, order));
      }
    }
  }
}

TEST(RenyiSubsampledGaussian, IsTheSignedSeriesAtFractionalOrders) {
  for (const Case& at : std::vector<Case>{{0.01, 2.5, 1.5},
                                          {0.01, 2.5, 2.5},
                                          {0.04, 1.5, 3.9},
                                          {0.001, 0.8, 6.25},
                                          {0.1, 1.0, 4.5},
                                          {0.3, 0.7, 7.5},
                                          {0.002, 4.0, 40.5}}) {
    expect_tight(at, signed_series(at.rate, at.noise, at.order));
  }
}

// The reference itself sees a mechanism whose noise is too small.
TEST(RenyiSubsampledGaussian, NoiseTenPercentSmallerIsTold) {
  const double truth = binomial_sum(0.01, 2, 8);
  EXPECT_GT(of_subsampled_gaussian(0.01, 1.8, 8), truth * 1.1);
  EXPECT_LT(of_subsampled_gaussian(0.01, 2.2, 8), truth * 0.9);
}

TEST(RenyiSubsampledGaussian, EndsOfTheRate) {
  EXPECT_EQ(of_subsampled_gaussian(0, 1, 5), 0);
  EXPECT_NEAR(of_subsampled_gaussian(1, 2, 5), 5.0 / 8, 1e-14);
  EXPECT_NEAR(of_subsampled_gaussian(1 - 1e-12, 2, 5), 5.0 / 8, 1e-10);
}

TEST(RenyiSubsampledGaussian, StaysFiniteAndSafeFarOut) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double rate : {1e-300, 1e-12, 0.5}) {
    for (const double noise : {1e-3, 0.1, 1.0, 1e6}) {
      for (const double order : {1 + 1e-9, 1.5, 1e3, 1e9}) {
        const double bound = of_subsampled_gaussian(rate, noise, order);
        EXPECT_GE(bound, 0);
        EXPECT_LT(bound, infinity);
        EXPECT_LE(bound, order / (2 * noise * noise) * (1 + 1e-12));
      }
    }
  }
  EXPECT_EQ(of_subsampled_gaussian(0.5, 1e-200, 2), infinity);
}

RC_GTEST_PROP(RenyiSubsampledGaussian, MonotoneInRateNoiseAndOrder, ()) {
  const double rate = *rc::gen::inRange(1, 900) / 1000.0;
  const double noise = *rc::gen::inRange(5, 80) / 10.0;
  const double order = 1 + *rc::gen::inRange(1, 400) / 10.0;
  const double value = of_subsampled_gaussian(rate, noise, order);
  RC_ASSERT(value <= of_subsampled_gaussian(rate * 1.05, noise, order));
  RC_ASSERT(value >= of_subsampled_gaussian(rate, noise * 1.05, order));
  RC_ASSERT(value <= of_subsampled_gaussian(rate, noise, order * 1.05));
  RC_ASSERT(value <= order / (2 * noise * noise) * (1 + 1e-14));
}

}  // namespace
}  // namespace tacit::renyi
