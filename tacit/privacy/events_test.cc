#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tacit/privacy/events_internal.h"
#include "tacit/privacy/gaussian_dp.h"
#include "tacit/privacy/testing/costs.h"

namespace tacit {
namespace {

using testing::HasSubstr;
using testing_costs::leaf;
using testing_costs::number;

std::vector<ApproximateEvent> events(const Cost& cost, std::string_view curve_delta = "0") {
  return approximate_events(cost, number(curve_delta)).value();
}
Cost approximate(std::string_view epsilon, std::string_view delta,
                 Neighbours neighbours = Neighbours::kAddRemove) {
  return leaf(cost::Approximate{number(epsilon), number(delta)}, neighbours);
}

TEST(Events, CompositionsAreListsWithTheirTimes) {
  const Cost twice = Cost::repeat(2, approximate("0.5", "1e-6")).value();
  const auto list =
      events(Cost::repeat(3, Cost::compose({twice, leaf(cost::Laplace{4})}).value()).value());
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].epsilon, number("0.5"));
  EXPECT_EQ(list[0].times, number("6"));
  EXPECT_EQ(list[1].epsilon, number("0.25"));
  EXPECT_EQ(list[1].delta, number("0"));
  const ApproximateEvent sum = basic_sum(list);
  EXPECT_EQ(sum.epsilon, number("3.75"));
  EXPECT_EQ(sum.delta, number("6e-6"));
}

TEST(Events, CurvesAreTakenAtTheDeltaGiven) {
  const Cost gaussian = leaf(cost::Gaussian{2});
  EXPECT_TRUE(has_curve(Cost::repeat(2, gaussian).value()));
  EXPECT_FALSE(has_curve(leaf(cost::Laplace{2})));
  EXPECT_THAT(approximate_events(gaussian, 0).error().what, HasSubstr("only at a delta above 0"));
  const auto list = events(gaussian, "1e-5");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].delta, number("1e-5"));
  EXPECT_NEAR(list[0].epsilon.approximate(), gaussian_epsilon(0.5, 1e-5), 1e-9);
  // A group of two is the noise at twice the sensitivity.
  EXPECT_EQ(events(Cost::group(2, gaussian).value(), "1e-5")[0].epsilon,
            events(leaf(cost::Gaussian{1}), "1e-5")[0].epsilon);
}

TEST(Events, DisjointPartsCostTheLargestEventByEvent) {
  const auto parts = [](Neighbours neighbours) {
    return Cost::parallel({approximate("1", "1e-6", neighbours),
                           approximate("3", "1e-7", neighbours), approximate("2", "0", neighbours)})
        .value();
  };
  const ApproximateEvent unbounded = basic_sum(events(parts(Neighbours::kAddRemove)));
  EXPECT_EQ(unbounded.epsilon, number("3"));
  EXPECT_EQ(unbounded.delta, number("1e-6"));
  // A unit that is replaced may leave one part and enter another.
  EXPECT_EQ(basic_sum(events(parts(Neighbours::kReplace))).epsilon, number("5"));
}

// What runs on one sample is one mechanism: sums first, then the amplification.
TEST(Events, SamplesAmplifyTheSum) {
  const Cost part = Cost::repeat(4, approximate("0.5", "1e-6")).value();
  const auto list = events(Cost::poisson_sample(number("0.1"), part).value());
  ASSERT_EQ(list.size(), 1U);
  EXPECT_NEAR(list[0].epsilon.approximate(), std::log1p(0.1 * std::expm1(2.0)), 1e-11);
  EXPECT_GE(list[0].epsilon.approximate(), std::log1p(0.1 * std::expm1(2.0)) - 1e-15);
  EXPECT_EQ(list[0].delta, number("4e-7"));
  EXPECT_TRUE(events(Cost::poisson_sample(0, part).value()).empty());
}

TEST(Events, GroupsGrowDeltaGeometrically) {
  const ApproximateEvent three = approximate_group(number("0.5"), number("1e-6"), 3);
  EXPECT_EQ(three.epsilon, number("1.5"));
  const double truth = 1e-6 * (1 + std::exp(0.5) + std::exp(1.0));
  EXPECT_GE(three.delta.upper(), truth);
  EXPECT_LE(three.delta.upper(), truth * (1 + 1e-12));
  EXPECT_EQ(approximate_group(0, number("0.1"), 4).delta, number("0.4"));
  EXPECT_EQ(approximate_group(9, number("0.1"), 40).delta, number("1"));
}

TEST(Events, RefusesByName) {
  EXPECT_THAT(approximate_events(leaf(cost::Renyi{{{2, 1}}}), 0).error().what, HasSubstr("Rényi"));
  const Cost piece = leaf(cost::Zcdp{1, number("1e-6")});
  EXPECT_THAT(approximate_events(Cost::group(2, piece).value(), number("1e-6")).error().what,
              HasSubstr("group"));
}

}  // namespace
}  // namespace tacit
