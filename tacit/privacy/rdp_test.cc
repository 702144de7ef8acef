#include "tacit/privacy/rdp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tacit/privacy/testing/renyi_costs.h"

namespace tacit {
namespace {

using testing_costs::at;
using testing_costs::expect_close_from_above;
using testing_costs::leaf;
using testing_costs::number;
using testing_costs::pure;
using testing_costs::refusal;
using testing_costs::sampled_gaussian;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Rdp, GaussianIsLinearInTheOrder) {
  const Cost cost = leaf(cost::Gaussian{number("2")});
  expect_close_from_above(at(cost, 1.5), 1.5 / 8);
  expect_close_from_above(at(cost, 64), 8);
}

TEST(Rdp, ComposesAtEveryOrder) {
  const Cost gaussian = leaf(cost::Gaussian{number("2")});
  const Cost laplace = leaf(cost::Laplace{number("1")});
  const Cost both = Cost::compose({gaussian, Cost::repeat(3, laplace).value()}).value();
  for (const double order : {1.1, 2.0, 7.5, 100.0}) {
    expect_close_from_above(at(both, order), at(gaussian, order) + 3 * at(laplace, order));
  }
  EXPECT_EQ(at(Cost::nothing(), 2), 0);
}

TEST(Rdp, RefusesWhatIsNotProved) {
  const std::vector orders = {2.0};
  const auto refused = renyi_bound(leaf(cost::NoneProved{"a k-anonymous table"}), orders);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "none_proved");
}

TEST(Rdp, ApproximateLeavesKeepTheirDelta) {
  const Cost cost = leaf(cost::Approximate{number("0.5"), number("1e-6")});
  const std::vector orders = {3.0};
  const RenyiBound bound = renyi_bound(Cost::repeat(10, cost).value(), orders).value();
  EXPECT_EQ(bound.delta, number("1e-5"));
  expect_close_from_above(bound.epsilons[0], 10 * at(leaf(cost::Pure{number("0.5")}), 3));
  EXPECT_EQ(rdp_epsilon_at(Cost::repeat(10, cost).value(), 5e-6, orders)->epsilon, kInfinity);
}

// Breaks seen in other libraries.

TEST(RdpRegression, RdpComposedAtOneOrder) {
  // A Gaussian is cheapest at one order, a pure leaf at another: the composition must be converted
  // from sums at the same order, which is dearer than the sum at each one's own.
  const Cost gaussian = leaf(cost::Gaussian{number("10")});
  const Cost big = leaf(cost::Pure{number("2")});
  const Cost both = Cost::compose({gaussian, big}).value();
  const double delta = 1e-6;
  const RdpEpsilon best = rdp_epsilon(both, delta).value();
  const RdpEpsilon first = rdp_epsilon(gaussian, delta).value();
  const RdpEpsilon second = rdp_epsilon(big, delta).value();
  EXPECT_GT(std::abs(first.order - second.order), 1);
  const double at_best =
      rdp_to_epsilon(at(gaussian, best.order) + at(big, best.order), best.order, delta);
  EXPECT_NEAR(best.epsilon, at_best, 1e-12);
  const double wrong = rdp_to_epsilon(at(gaussian, first.order) + at(big, second.order),
                                      std::max(first.order, second.order), delta);
  EXPECT_GT(best.epsilon, wrong * 1.01) << "mixing orders must show";
}

TEST(RdpRegression, PermuteAndFlipChargedAQuarterOfItsZcdpCost) {
  for (const double order : {1.5, 2.0, 3.0}) {
    const double flip = at(leaf(cost::PermuteAndFlip{number("1")}), order);
    const double exponential = at(leaf(cost::Exponential{number("1")}), order);
    EXPECT_EQ(flip, at(pure("1"), order));
    EXPECT_GT(flip, 1.5 * exponential) << "the bounded-range bound does not hold for it";
  }
  // At small epsilon the whole cost is order epsilon^2 / 2, and the quarter is the exponential's.
  EXPECT_NEAR(at(leaf(cost::PermuteAndFlip{number("0.001")}), 2), 1e-6, 1e-9);
  EXPECT_NEAR(at(leaf(cost::Exponential{number("0.001")}), 2), 0.25e-6, 1e-9);
}

TEST(RdpRegression, ChangedRowsCountedOnceInsteadOfTwice) {
  const Cost gaussian = leaf(cost::Gaussian{number("2")});
  expect_close_from_above(at(Cost::as_replace(gaussian).value(), 3), 4 * at(gaussian, 3));
  EXPECT_GE(at(Cost::as_replace(pure("1")).value(), 3), at(pure("2"), 3));
  // A unit that moves from one part to another changes both.
  const Cost part = leaf(cost::Gaussian{number("2")}, Neighbours::kReplace);
  const Cost parts = Cost::parallel({part, part, part}).value();
  expect_close_from_above(at(parts, 3), 2 * at(part, 3));
}

// Conversions.

TEST(Rdp, ConversionsAsTheirTheoremsState) {
  const double rdp = 1.25;
  const double order = 8;
  const double delta = 1e-5;
  const double improved =
      rdp + std::log(7.0 / 8) - (std::log(delta) + std::log(order)) / (order - 1);
  EXPECT_NEAR(rdp_to_epsilon(rdp, order, delta), improved, 1e-13);
  EXPECT_GE(rdp_to_epsilon(rdp, order, delta), improved);
  EXPECT_NEAR(rdp_to_epsilon_classic(rdp, order, delta), rdp - std::log(delta) / 7, 1e-13);
  EXPECT_NEAR(rdp_to_delta(rdp, order, improved), delta, 1e-16);
  EXPECT_EQ(rdp_to_epsilon(0, 2, 0.9), 0);
  EXPECT_LT(rdp_to_delta(5, 2, 0), 1);
  // Total variation: with divergence at most 1e-8, delta 1e-4 leaves no epsilon at all.
  EXPECT_EQ(rdp_to_epsilon(0.99e-8, 1.5, 1e-4), 0);
  EXPECT_GT(rdp_to_epsilon(1.01e-8, 1.5, 1e-4), 0);
  EXPECT_EQ(rdp_epsilon(leaf(cost::Gaussian{number("10000")}), 1e-4)->epsilon, 0);
  EXPECT_LE(rdp_to_delta(0.99e-8, 1.5, 0), 1e-4);
  EXPECT_EQ(rdp_to_epsilon(kInfinity, 2, 0.1), kInfinity);
}

TEST(Rdp, MomentsAreTheSameNumbersSeenOtherwise) {
  const Cost steps = Cost::repeat(1000, sampled_gaussian("0.01", "2")).value();
  const std::vector lambdas = {1.0, 7.0, 31.0};
  const RenyiBound moments = log_moments(steps, lambdas).value();
  for (std::size_t i = 0; i < lambdas.size(); ++i) {
    const double order = lambdas[i] + 1;
    expect_close_from_above(moments.epsilons[i], lambdas[i] * at(steps, order));
    const double tail = moments_to_epsilon(moments.epsilons[i], lambdas[i], 1e-5);
    EXPECT_NEAR(tail, rdp_to_epsilon_classic(at(steps, order), order, 1e-5), 1e-10);
    EXPECT_NEAR(moments_to_delta(moments.epsilons[i], lambdas[i], tail), 1e-5, 1e-14);
  }
}

TEST(Rdp, EpsilonAndDeltaAreInverse) {
  const Cost steps = Cost::repeat(2000, sampled_gaussian("0.01", "1.2")).value();
  for (const double delta : {1e-3, 1e-5, 1e-9}) {
    const double epsilon = rdp_epsilon(steps, delta)->epsilon;
    EXPECT_NEAR(rdp_delta(steps, epsilon).value() / delta, 1, 1e-6);
  }
}

TEST(Rdp, OwnDeltaIsPaidBeforeTheConversion) {
  const Cost cost = leaf(cost::Approximate{number("0.5"), number("4e-6")});
  const double with = rdp_epsilon(cost, 1e-5)->epsilon;
  EXPECT_NEAR(with, rdp_epsilon(pure("0.5"), 6e-6)->epsilon, 1e-9);
  EXPECT_NEAR(rdp_delta(cost, with).value(), 1e-5, 1e-11);
  EXPECT_EQ(rdp_epsilon(cost, 4e-6)->epsilon, kInfinity);
}

TEST(Rdp, SearchIsNoWorseThanAnyListOfOrders) {
  const std::vector<double> orders = {1.25, 1.5, 2, 3, 4, 8, 16, 32, 64, 128, 256};
  const std::vector<Cost> costs = {
      pure("0.01"), Cost::repeat(50, leaf(cost::Laplace{number("5")})).value(),
      Cost::repeat(300, sampled_gaussian("0.3", "1")).value(),
      leaf(cost::Renyi{{{3, number("0.4")}, {number("5.3"), number("0.41")}}}),
      Cost::repeat(100,
                   Cost::poisson_sample(number("0.01"), leaf(cost::Laplace{number("1")})).value())
          .value()};
  for (const Cost& cost : costs) {
    EXPECT_LE(rdp_epsilon(cost, 1e-6)->epsilon,
              rdp_epsilon_at(cost, 1e-6, orders)->epsilon * (1 + 1e-12))
        << cost.to_text();
  }
}

TEST(Rdp, NothingCostsNothing) {
  EXPECT_EQ(rdp_epsilon(Cost::nothing(), 1e-5)->epsilon, 0);
  EXPECT_EQ(
      rdp_epsilon(Cost::poisson_sample(number("0.5"), Cost::nothing()).value(), 1e-5)->epsilon, 0);
}

TEST(Rdp, BadQuestionsAreRefused) {
  const Cost cost = pure("1");
  for (const double delta : {0.0, 1.0, -1.0, std::nan(""), kInfinity}) {
    EXPECT_FALSE(rdp_epsilon(cost, delta)) << delta;
  }
  for (const double order : {1.0, 0.5, -2.0, std::nan(""), kInfinity}) {
    const std::vector orders = {order};
    EXPECT_FALSE(renyi_bound(cost, orders)) << order;
    EXPECT_FALSE(rdp_epsilon_at(cost, 1e-5, orders)) << order;
  }
  EXPECT_FALSE(rdp_delta(cost, -1));
  EXPECT_FALSE(rdp_delta(cost, std::nan("")));
  EXPECT_FALSE(log_moments(cost, std::vector{0.0}));
  EXPECT_EQ(refusal(Cost::group(std::uint64_t{1} << 40U, cost).value()),
            "a group of more than 4294967296 units");
}

}  // namespace
}  // namespace tacit
