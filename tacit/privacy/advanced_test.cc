#include "tacit/privacy/advanced.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tacit/privacy/events_internal.h"
#include "tacit/privacy/testing/costs.h"

namespace tacit {
namespace {

using testing_costs::leaf;
using testing_costs::number;

// The theorem of Dwork, Rothblum and Vadhan (2010) as it is printed.
double theorem(double epsilon, double k, double slack) {
  return std::sqrt(2 * k * std::log(1 / slack)) * epsilon + k * epsilon * std::expm1(epsilon);
}

TEST(AdvancedComposition, IsTheTheorem) {
  const Cost pure = Cost::repeat(1000, leaf(cost::Pure{number("0.01")})).value();
  EXPECT_NEAR(advanced_epsilon(pure, 1e-6).value(), theorem(0.01, 1000, 1e-6), 1e-12);
  const Cost approximate =
      Cost::repeat(100, leaf(cost::Approximate{number("0.1"), number("1e-8")})).value();
  EXPECT_NEAR(advanced_epsilon(approximate, 2e-6).value(), theorem(0.1, 100, 1e-6), 1e-9);
  EXPECT_TRUE(std::isinf(advanced_epsilon(approximate, 1e-6).value()));
}

TEST(AdvancedComposition, DeltaInvertsEpsilon) {
  const Cost cost = Cost::repeat(1000, leaf(cost::Pure{number("0.01")})).value();
  const double epsilon = advanced_epsilon(cost, 1e-6).value();
  EXPECT_NEAR(advanced_delta(cost, epsilon).value(), 1e-6, 1e-15);
  EXPECT_EQ(advanced_delta(cost, 0.01).value(), 1);
}

TEST(AdvancedComposition, UnequalPartsAddTheirSquares) {
  const Cost cost = Cost::compose({leaf(cost::Pure{number("0.1")}),
                                   Cost::repeat(2, leaf(cost::Pure{number("0.2")})).value()})
                        .value();
  const double squares = 0.01 + 2 * 0.04;
  const double mean = 0.1 * std::expm1(0.1) + 0.4 * std::expm1(0.2);
  EXPECT_NEAR(advanced_epsilon(cost, 1e-3).value(), mean + std::sqrt(2 * squares * std::log(1e3)),
              1e-12);
}

TEST(BasicComposition, AddsEpsilonsAndDeltas) {
  const Cost cost = Cost::repeat(3, leaf(cost::Approximate{1, number("1e-6")})).value();
  EXPECT_EQ(basic_epsilon(cost, 3.1e-6).value(), 3);
  EXPECT_TRUE(std::isinf(basic_epsilon(cost, 1e-6).value()));
  EXPECT_NEAR(basic_delta(cost, 3).value(), 3e-6, 1e-18);
  EXPECT_EQ(basic_delta(cost, 2.9).value(), 1);
  EXPECT_EQ(basic_epsilon(Cost::nothing(), 0).value(), 0);
}

// The three bounds of the moments accountant's paper, side by side: naive, strong.
TEST(BasicComposition, GaussianStepsAreTakenAtADeltaOfTheirOwn) {
  const Cost step = Cost::poisson_sample(number("0.01"), leaf(cost::Gaussian{4})).value();
  const Cost cost = Cost::repeat(10000, step).value();
  const double naive = basic_epsilon(cost, 1e-5).value();
  const double strong = advanced_epsilon(cost, 1e-5).value();
  EXPECT_LT(strong, naive);
  EXPECT_GT(strong, 1.2586);  // the moments accountant's bound
  EXPECT_LT(strong, 20);
}

TEST(ApproximateEvents, DisjointPartsAreDominatedSideBySide) {
  const auto part = [](std::string_view epsilon, std::string_view delta, std::uint64_t times,
                       Neighbours neighbours) {
    return Cost::repeat(times, leaf(cost::Approximate{number(epsilon), number(delta)}, neighbours))
        .value();
  };
  for (const Neighbours neighbours : {Neighbours::kAddRemove, Neighbours::kReplace}) {
    const Cost cost =
        Cost::parallel({part("1", "0", 2, neighbours), part("0.5", "0.01", 5, neighbours)}).value();
    const ApproximateEvent sum = basic_sum(approximate_events(cost, 0).value());
    const bool replace = neighbours == Neighbours::kReplace;
    EXPECT_EQ(sum.epsilon, number(replace ? "4.5" : "3.5"));
    EXPECT_EQ(sum.delta, number("0.05"));
  }
}

TEST(ApproximateEvents, GroupsGrowDeltaByTheirSeries) {
  const ApproximateEvent three = approximate_group(1, number("1e-6"), 3);
  EXPECT_EQ(three.epsilon, Rational(3));
  EXPECT_NEAR(three.delta.approximate(), 1e-6 * (1 + std::exp(1) + std::exp(2)), 1e-18);
  EXPECT_EQ(approximate_group(1, number("0.5"), 100).delta, Rational(1));
  EXPECT_EQ(approximate_group(0, number("0.25"), 2).delta, number("0.5"));
  // Add/remove read for replace: delta becomes (1 + e^epsilon) delta.
  const Cost replaced = Cost::as_replace(leaf(cost::Approximate{1, number("1e-6")})).value();
  EXPECT_NEAR(basic_delta(replaced, 2).value(), 1e-6 * (1 + std::exp(1)), 1e-18);
}

TEST(ApproximateEvents, OneSampleIsOneMechanism) {
  const Cost two = Cost::repeat(2, leaf(cost::Approximate{1, number("1e-6")})).value();
  const Cost sample = Cost::poisson_sample(number("0.1"), two).value();
  const auto events = approximate_events(sample, 0).value();
  ASSERT_EQ(events.size(), 1);
  EXPECT_NEAR(events.front().epsilon.approximate(), std::log1p(0.1 * std::expm1(2)), 1e-11);
  EXPECT_EQ(events.front().delta, number("2e-7"));
  EXPECT_TRUE(approximate_events(Cost::poisson_sample(0, two).value(), 0).value().empty());
}

TEST(ApproximateEvents, RefusesByName) {
  EXPECT_FALSE(approximate_events(leaf(cost::Gaussian{1}), 0));
  EXPECT_FALSE(basic_epsilon(leaf(cost::Renyi{{{2, 1}}}), 1e-5));
  EXPECT_FALSE(basic_epsilon(leaf(cost::NoneProved{"no proof"}), 1e-5));
  EXPECT_FALSE(basic_epsilon(Cost::group(2, leaf(cost::Zcdp{1, number("0.1")})).value(), 0.3));
  EXPECT_FALSE(basic_epsilon(leaf(cost::Gaussian{1}), 0));
}

}  // namespace
}  // namespace tacit
