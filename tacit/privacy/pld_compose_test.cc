#include "tacit/privacy/pld_compose_internal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tacit/privacy/pld_plan_internal.h"
#include "tacit/privacy/pld_single_internal.h"

namespace tacit::pld {
namespace {

// Gaussian noise composes to Gaussian noise, whose curve is known: the transform, which does not
// know this, must hold it in its bracket whatever the parameters.
TEST(PldCompose, BracketsHoldTheAnalyticGaussian) {
  std::mt19937_64 generator(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int trial = 0; trial < 60; ++trial) {
    const auto times = static_cast<std::uint64_t>(std::exp(10 * uniform(generator))) + 1;
    const double noise =
        std::exp((4 * uniform(generator)) - 1) * std::sqrt(static_cast<double>(times));
    const double delta = std::pow(10, -1 - (14 * uniform(generator)));
    SCOPED_TRACE(testing::Message() << times << " x " << noise << " at " << delta);
    const std::vector<Term> terms = {{gaussian_pair(noise), times}};
    const Pair whole = gaussian_pair(noise / std::sqrt(static_cast<double>(times)));
    const Composition composition = Planner(terms, Question::epsilon_at(delta)).compose({});
    EXPECT_LE(composition.epsilon_lower(delta), single_epsilon_upper(*whole, delta));
    EXPECT_GE(composition.epsilon_upper(delta), single_epsilon_lower(*whole, delta));
    EXPECT_LE(composition.epsilon_upper(delta) - composition.epsilon_lower(delta),
              1e-3 * composition.epsilon_upper(delta));
    // A tenth less noise lies outside.
    const Pair wrong = gaussian_pair(0.9 * noise / std::sqrt(static_cast<double>(times)));
    EXPECT_GT(single_epsilon_lower(*wrong, delta), composition.epsilon_upper(delta));
  }
}

// A circle far too short spoils sharpness, never truth.
TEST(PldCompose, AnyTiltingGivesATrueAnswer) {
  const Pair whole = gaussian_pair(5 / std::sqrt(30.0));
  const Lattice lattice{0, 0.01};
  const Discretization law = discretize(*gaussian_pair(5), lattice, -300, 300, {});
  const std::vector<Component> components = {{law, 30}};
  for (const double length : {0.5, 2.0, 8.0, 30.0}) {
    for (const double tilt : {0.01, 1.0, 5.0}) {
      const Composition composition =
          compose(components, {.tilt = tilt, .chernoff = 2 * tilt, .least = 0.5, .length = length});
      for (const double epsilon : {0.5, 1.0, 2.0, 4.0}) {
        EXPECT_GE(composition.delta_upper(epsilon), single_delta_lower(*whole, epsilon));
        EXPECT_LE(composition.delta_lower(epsilon), single_delta_upper(*whole, epsilon));
      }
    }
  }
}

TEST(PldCompose, LargestPayoff) {
  for (const double tilt : {0.1, 1.0, 7.0}) {
    double largest = 0;
    for (double x = 0; x < 20; x += 1e-4) {
      largest = std::max(largest, std::exp(-tilt * x) * -std::expm1(-x));
    }
    EXPECT_NEAR(std::exp(log_largest_payoff(tilt)), largest, 1e-8);
  }
}

}  // namespace
}  // namespace tacit::pld
