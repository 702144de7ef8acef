#include "tacit/privacy/renyi_sampling.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "tacit/privacy/renyi_leaves.h"
#include "tacit/privacy/testing/big.h"

namespace tacit::renyi {
namespace {

using testing_numbers::Big;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Pair {
  std::vector<Big> p;
  std::vector<Big> q;
};

double divergence(const std::vector<Big>& p, const std::vector<Big>& q, double order) {
  Big moment = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    moment = moment + pow(p[i], order) * pow(q[i], Big(1) - Big(order));
  }
  return (log(moment) / (Big(order) - Big(1))).to_double();
}

std::vector<Big> mixture(const Pair& pair, double rate) {
  std::vector<Big> mixed;
  for (std::size_t i = 0; i < pair.p.size(); ++i) {
    mixed.push_back(Big(rate) * pair.p[i] + (Big(1) - Big(rate)) * pair.q[i]);
  }
  return mixed;
}

// The two directions of a Poisson sample: one unit more, one unit less.
double forward(const Pair& pair, double rate, double order) {
  return divergence(mixture(pair, rate), pair.q, order);
}
double backward(const Pair& pair, double rate, double order) {
  return divergence(pair.q, mixture(pair, rate), order);
}

Pair randomized_response(double epsilon) {
  const Big lie = Big(1) / (Big(1) + exp(Big(epsilon)));
  const Big truth = Big(1) - lie;
  return {{truth, lie}, {lie, truth}};
}

Pair discrete_laplace(double scale) {
  Pair pair;
  const Big norm = (Big(1) - exp(Big(-1) / Big(scale))) / (Big(1) + exp(Big(-1) / Big(scale)));
  const int far = static_cast<int>(100 * scale);
  for (int x = -far; x <= far + 1; ++x) {
    pair.p.push_back(norm * exp(Big(-std::abs(x - 1)) / Big(scale)));
    pair.q.push_back(norm * exp(Big(-std::abs(x)) / Big(scale)));
  }
  return pair;
}

TEST(RenyiSampling, PureOnAPoissonSampleIsExact) {
  for (const double order : {1.01, 1.5, 2.0, 7.3, 100.0}) {
    for (const double epsilon : {1e-3, 0.5, 2.0, 8.0}) {
      for (const double rate : {1e-5, 0.01, 0.5, 1.0}) {
        const Pair pair = randomized_response(epsilon);
        const double truth = forward(pair, rate, order);
        const double bound = of_subsampled_pure(rate, epsilon, order);
        EXPECT_GE(bound, truth) << order << ' ' << epsilon << ' ' << rate;
        EXPECT_LE(bound, truth * (1 + 1e-10)) << order << ' ' << epsilon << ' ' << rate;
        EXPECT_GE(bound, backward(pair, rate, order));
      }
    }
  }
  EXPECT_EQ(of_subsampled_pure(0, 1, 2), 0);
  EXPECT_LE(of_subsampled_pure(0.1, 400, 1e6), 400);
}

TEST(RenyiSampling, SymmetricPairsAreExactAtIntegerOrders) {
  const double scale = 1.5;
  const Pair pair = discrete_laplace(scale);
  const Divergence part = [&](double order) { return of_discrete_laplace(scale, 1, order); };
  for (const double rate : {1e-4, 0.02, 0.3}) {
    const Divergence sampled = of_poisson_sample(part, rate, true);
    for (const double order : {2.0, 3.0, 10.0, 40.0}) {
      const double truth = forward(pair, rate, order);
      EXPECT_GE(sampled(order), truth) << order << ' ' << rate;
      EXPECT_LE(sampled(order), truth * (1 + 1e-9)) << order << ' ' << rate;
      EXPECT_GE(sampled(order), backward(pair, rate, order)) << order << ' ' << rate;
    }
    for (const double order : {1.3, 2.5, 6.7}) {
      EXPECT_GE(sampled(order), forward(pair, rate, order)) << order << ' ' << rate;
      EXPECT_LE(sampled(order), sampled(std::ceil(order))) << order << ' ' << rate;
    }
  }
}

// A pair no map swaps: one outcome is much likelier under P.
TEST(RenyiSampling, CurvesWithoutAPairCoverBothDirections) {
  const Pair skew = {{Big(0.10), Big(0.45), Big(0.45)}, {Big(0.02), Big(0.49), Big(0.49)}};
  for (const auto& [p, q] : {std::pair(skew.p, skew.q), std::pair(skew.q, skew.p)}) {
    const Pair pair = {p, q};
    const Divergence part = [&](double order) {
      return std::max(divergence(p, q, order), divergence(q, p, order)) * (1 + 1e-15);
    };
    for (const double rate : {1e-3, 0.1, 0.7}) {
      const Divergence sampled = of_poisson_sample(part, rate, false);
      for (const double order : {1.2, 2.0, 3.5, 12.0, 60.0}) {
        EXPECT_GE(sampled(order), forward(pair, rate, order)) << order << ' ' << rate;
        EXPECT_GE(sampled(order), backward(pair, rate, order)) << order << ' ' << rate;
        EXPECT_LE(sampled(order), part(order));
      }
    }
  }
}

TEST(RenyiSampling, SmallRatesShrinkQuadratically) {
  const Divergence part = [](double order) { return of_zcdp(0.05, order); };
  for (const bool symmetric : {true, false}) {
    const double at_small = of_poisson_sample(part, 1e-4, symmetric)(4);
    EXPECT_NEAR(of_poisson_sample(part, 1e-3, symmetric)(4) / at_small, 100, 5);
  }
}

TEST(RenyiSampling, InfiniteOrdersStayInfinite) {
  const Divergence part = [](double order) { return order > 4 ? kInfinity : 0.1; };
  EXPECT_EQ(of_poisson_sample(part, 0.1, false)(5), kInfinity);
  EXPECT_LT(of_poisson_sample(part, 0.1, false)(4), 0.1);
  EXPECT_EQ(of_fixed_size_sample(part, kInfinity, 0.1)(5), kInfinity);
  EXPECT_LE(of_fixed_size_sample(part, kInfinity, 0.001)(4), 0.1);
  EXPECT_EQ(of_poisson_sample(part, 0, false)(5), 0);
  EXPECT_EQ(of_poisson_sample(part, 1, false)(3), 0.1);
}

// One of n bits is drawn and told by randomized response; neighbours differ in one bit. The whole
// mechanism is small enough to be written down.
TEST(RenyiSampling, FixedSizeCoversRandomizedResponseOfADrawnBit) {
  for (const int population : {2, 5, 50}) {
    for (const double epsilon : {0.1, 1.0, 3.0}) {
      const Big lie = Big(1) / (Big(1) + exp(Big(epsilon)));
      const Big truth = Big(1) - lie;
      const Big share = Big(1) / Big(population);
      const Big one = share * truth + (Big(1) - share) * lie;
      const std::vector<Big> with = {one, Big(1) - one};
      const std::vector<Big> without = {lie, truth};
      const double rate = 1.0 / population;
      const Divergence part = [&](double order) { return of_pure(epsilon, order); };
      const Divergence sampled = of_fixed_size_sample(part, epsilon, rate);
      for (const double order : {1.5, 2.0, 4.0, 20.0}) {
        EXPECT_GE(sampled(order), divergence(with, without, order));
        EXPECT_GE(sampled(order), divergence(without, with, order));
        EXPECT_LE(sampled(order), part(order));
      }
    }
  }
}

// The sum in the theorem, term by term, at 320 bits.
TEST(RenyiSampling, FixedSizeIsTheSumOfTheTheorem) {
  const double rho = 0.1;
  const Divergence part = [&](double order) { return of_zcdp(rho, order); };
  for (const double rate : {1e-3, 0.05}) {
    for (const int order : {2, 3, 12}) {
      const Big second = exp(Big(2) * Big(rho));
      const double capped =
          std::min((Big(4) * (second - Big(1))).to_double(), (Big(2) * second).to_double());
      Big sum = Big(1) + Big(order * (order - 1) / 2.0) * Big(rate) * Big(rate) * Big(capped);
      Big choose = order * (order - 1) / 2.0;
      for (int j = 3; j <= order; ++j) {
        choose = choose * Big(order - j + 1) / Big(j);
        sum = sum + choose * pow(Big(rate), j) * exp(Big(j - 1) * Big(j) * Big(rho)) * Big(2);
      }
      const double truth = (log(sum) / Big(order - 1)).to_double();
      const double bound = of_fixed_size_sample(part, kInfinity, rate)(order);
      EXPECT_GE(bound, truth * (1 - 1e-15));
      EXPECT_LE(bound, truth * (1 + 1e-10));
    }
  }
}

// m of n values in [-1/2, 1/2] are drawn and summed with discrete Laplace noise on a grid: the two
// mixtures below are what neighbours look like when all other values are 0.
TEST(RenyiSampling, FixedSizePairCoversBothDirectionsOfASum) {
  const double scale = 2;
  const int far = 250;
  const Big norm = (Big(1) - exp(Big(-1) / Big(scale))) / (Big(1) + exp(Big(-1) / Big(scale)));
  for (const double rate : {0.01, 0.3}) {
    std::vector<Big> with;
    std::vector<Big> without;
    for (int x = -far; x <= far; ++x) {
      const auto noise = [&](int shift) {
        return norm * exp(Big(-std::abs(x - shift)) / Big(scale));
      };
      with.push_back((Big(1) - Big(rate)) * noise(0) + Big(rate) * noise(1));
      without.push_back((Big(1) - Big(rate)) * noise(0) + Big(rate) * noise(-1));
    }
    const Divergence part = [&](double order) { return of_discrete_laplace(scale, 2, order); };
    const Divergence bound = of_fixed_size_pair(of_poisson_sample(part, rate, true));
    const Divergence older = of_fixed_size_sample(part, kInfinity, rate);
    for (const double order : {2.0, 5.0, 20.0}) {
      EXPECT_GE(bound(order), divergence(with, without, order));
      EXPECT_GE(bound(order), divergence(without, with, order));
      EXPECT_LE(bound(order), older(order));
    }
  }
  EXPECT_LT(of_fixed_size_pair([](double) { return 1e4; })(2), 1e4 + 1);
}

RC_GTEST_PROP(RenyiSampling, NeverAboveThePartAndMonotoneInTheRate, ()) {
  const double rho = *rc::gen::inRange(1, 500) / 100.0;
  const double rate = *rc::gen::inRange(1, 900) / 1000.0;
  const double order = 1 + *rc::gen::inRange(1, 3000) / 100.0;
  const bool symmetric = *rc::gen::arbitrary<bool>();
  const Divergence part = [&](double at) { return of_zcdp(rho, at); };
  const double value = of_poisson_sample(part, rate, symmetric)(order);
  RC_ASSERT(value <= part(order));
  RC_ASSERT(value <= of_poisson_sample(part, rate * 1.1, symmetric)(order) * (1 + 1e-9));
  RC_ASSERT(of_fixed_size_sample(part, kInfinity, rate)(order) <= part(order));
}

}  // namespace
}  // namespace tacit::renyi
