#include "tacit/privacy/rdp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tacit {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Rational number(const std::string& text) { return Rational::parse(text).value(); }
Cost leaf(cost::Node node, Neighbours neighbours = Neighbours::kAddRemove) {
  return Cost::leaf(std::move(node), neighbours).value();
}
double at(const Cost& cost, double order) {
  const std::vector orders = {order};
  return renyi_bound(cost, orders).value().epsilons.front();
}

void expect_close_from_above(double bound, double truth, double relative = 1e-12) {
  EXPECT_GE(bound, truth * (1 - 1e-14));
  EXPECT_LE(bound, truth * (1 + relative));
}

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
  expect_close_from_above(bound.delta, 1e-5);
  expect_close_from_above(bound.epsilons[0], 10 * at(leaf(cost::Pure{number("0.5")}), 3));
  EXPECT_EQ(rdp_epsilon_at(Cost::repeat(10, cost).value(), 5e-6, orders)->epsilon, kInfinity);
}

}  // namespace
}  // namespace tacit
