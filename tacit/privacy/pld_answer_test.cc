#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "tacit/privacy/pld_compose_internal.h"
#include "tacit/privacy/pld_plan_internal.h"
#include "tacit/privacy/pld_single_internal.h"

namespace tacit::pld {
namespace {

// A sum that is 1 with probability 3/4 and 2 with probability 1/8, else infinite; without tilt.
Composition three_losses() {
  std::vector<Complex> circle(8);
  circle[1] = {0.75, 0.75};
  circle[2] = {0.125, 0.125};
  Composition composition;
  composition.upper.circle = std::make_shared<const std::vector<Complex>>(circle);
  composition.upper.constant = 0.125;
  composition.lower = composition.upper;
  composition.lower.part = &Complex::im;
  return composition;
}

double delta_of_three(double epsilon) {
  const auto pays = [&](double loss) { return loss > epsilon ? -std::expm1(epsilon - loss) : 0; };
  return 0.125 + (0.75 * pays(1)) + (0.125 * pays(2));
}

TEST(PldAnswer, DeltaIsThePayoffOfTheSums) {
  const Composition composition = three_losses();
  for (const double epsilon : {0.0, 0.3, 1.0, 1.7, 2.0, 5.0}) {
    EXPECT_NEAR(composition.delta_upper(epsilon), delta_of_three(epsilon), 1e-12) << epsilon;
    EXPECT_NEAR(composition.delta_lower(epsilon), delta_of_three(epsilon), 1e-12) << epsilon;
    EXPECT_GE(composition.delta_upper(epsilon), delta_of_three(epsilon));
    EXPECT_LE(composition.delta_lower(epsilon), delta_of_three(epsilon));
  }
}

TEST(PldAnswer, EpsilonIsWhereDeltaIsReached) {
  const Composition composition = three_losses();
  for (const double epsilon : {0.1, 0.5, 1.2, 1.9}) {
    const double delta = delta_of_three(epsilon);
    EXPECT_NEAR(composition.epsilon_upper(delta), epsilon, 1e-6);
    EXPECT_GE(composition.epsilon_upper(delta), epsilon);
    EXPECT_LE(composition.epsilon_lower(delta), epsilon);
  }
  // Less than what is infinite is not to be had; more than delta at 0 costs nothing.
  EXPECT_EQ(composition.epsilon_upper(0.12), std::numeric_limits<double>::infinity());
  EXPECT_EQ(composition.epsilon_lower(0.12), std::numeric_limits<double>::infinity());
  EXPECT_EQ(composition.epsilon_upper(0.9), 0);
}

TEST(PldAnswer, SlackMovesTheBoundsApart) {
  Composition composition = three_losses();
  composition.slack = 0.01;
  EXPECT_GE(composition.delta_upper(0.5), std::exp(0.01) * delta_of_three(0.49) - 1e-12);
  EXPECT_LE(composition.delta_lower(0.5), std::exp(-0.01) * delta_of_three(0.51) + 1e-12);
  EXPECT_GT(composition.epsilon_upper(0.3), composition.epsilon_lower(0.3) + 0.02);
}

TEST(PldAnswer, DeltasOfOneCompositionHoldAlongTheWholeCurve) {
  const std::vector<Term> terms = {{gaussian_pair(6), 50}};
  const Pair whole = gaussian_pair(6 / std::sqrt(50.0));
  const Composition composition = Planner(terms, Question::delta_at(1)).compose({});
  for (double epsilon = 0; epsilon < 9; epsilon += 0.0371) {
    EXPECT_LE(composition.delta_lower(epsilon), single_delta_upper(*whole, epsilon));
    EXPECT_GE(composition.delta_upper(epsilon), single_delta_lower(*whole, epsilon));
  }
}

// What is no number must be the most cautious answer, wherever it comes in.
TEST(PldAnswer, NoNumberBoundsNothing) {
  const std::vector<Term> terms = {{laplace_pair(2), 2}};
  const Planner planner(terms, Question::epsilon_at(1e-5));
  const Composition whole = planner.compose({});
  const double none = std::nan("");
  std::vector<Composition> broken(5, whole);
  broken[0].upper.error = broken[0].lower.error = none;
  broken[1].upper.log_scale = broken[1].lower.log_scale = none;
  broken[2].upper.constant = broken[2].lower.constant = none;
  broken[3].slack = none;
  auto circle = *whole.upper.circle;
  for (Complex& value : circle) value = {none, none};
  broken[4].upper.circle = broken[4].lower.circle =
      std::make_shared<const std::vector<Complex>>(circle);
  for (const Composition& composition : broken) {
    EXPECT_EQ(composition.delta_upper(0.5), 1);
    EXPECT_EQ(composition.delta_lower(0.5), 0);
    // At least the end of the window, beyond which the Chernoff bound holds without the circle.
    EXPECT_GT(composition.epsilon_upper(1e-5), 1.1);
    EXPECT_EQ(composition.epsilon_lower(1e-5), 0);
  }
}

}  // namespace
}  // namespace tacit::pld
