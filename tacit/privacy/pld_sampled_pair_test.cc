#include <gtest/gtest.h>

#include <cmath>

#include "tacit/privacy/pld_pairs_internal.h"
#include "tacit/privacy/testing/pair_curve.h"

namespace tacit::pld {
namespace {

// The curve of the base at t = 1 + (e^epsilon - 1) / rate, times the rate: sup_E of
// (1 - q) Q(E) + q P(E) - e^epsilon Q(E).
TEST(PldSampledPair, RemovingAUnitSeesTheBaseAtAnotherThreshold) {
  for (const Pair& base : {gaussian_pair(0.8), laplace_pair(1.5), approximate_pair(0.7, 0.01)}) {
    for (const double rate : {0.01, 0.3, 0.9}) {
      const Pair sampled = poisson_pair(base, rate, Direction::kRemove);
      for (const double epsilon : {0.0, 0.02, 0.2, 0.9}) {
        const double threshold = std::log1p(std::expm1(epsilon) / rate);
        EXPECT_NEAR(curve(*sampled, epsilon), rate * curve(*base, threshold), 1e-14);
      }
      EXPECT_DOUBLE_EQ(sampled->infinite_mass(), rate * base->infinite_mass());
    }
  }
}

// The two directions are one pair read both ways: H'(t) = 1 - t + t H(1/t).
TEST(PldSampledPair, AddingAUnitIsTheOtherReading) {
  for (const Pair& base : {gaussian_pair(0.8), laplace_pair(1.5), approximate_pair(0.7, 0.01)}) {
    const Pair removed = poisson_pair(base, 0.2, Direction::kRemove);
    const Pair added = poisson_pair(base, 0.2, Direction::kAdd);
    for (const double epsilon : {-0.15, 0.0, 0.1, 0.21, 1.0}) {
      const double t = std::exp(epsilon);
      EXPECT_NEAR(curve(*added, epsilon), 1 - t + (t * curve(*removed, -epsilon)), 1e-14);
    }
    // Who is not drawn leaves no trace, so no answer betrays that a unit was not there.
    EXPECT_EQ(added->infinite_mass(), 0);
    EXPECT_EQ(added->at(-std::log1p(-0.2)).p_above, 0);
  }
}

TEST(PldSampledPair, AnchorsAreTheLossesOfTheAtoms) {
  const auto removed = poisson_pair(laplace_pair(2), 0.1, Direction::kRemove)->anchors();
  ASSERT_TRUE(removed);
  EXPECT_DOUBLE_EQ(removed->origin, std::log1p(0.1 * std::expm1(-0.5)));
  EXPECT_DOUBLE_EQ(removed->origin + removed->span, std::log1p(0.1 * std::expm1(0.5)));
  // e^800 has no double, its logarithm has.
  const auto large = poisson_pair(approximate_pair(800, 0), 0.1, Direction::kRemove)->anchors();
  ASSERT_TRUE(large);
  EXPECT_NEAR(large->origin + large->span, 800 + std::log(0.1), 1e-12);
}

// Nearly everybody is sampled: losses down to log(1 - rate) tell the base's losses apart.
TEST(PldSampledPair, SamplesOfNearlyEverybodyKeepTheLowestLosses) {
  constexpr double kRest = 0x1p-40;
  const Pair base = gaussian_pair(0.2);
  const Pair pair = poisson_pair(base, 1 - kRest, Direction::kRemove);
  for (const double base_loss : {-20.0, -25.0, -30.0, -40.0}) {
    // log(1 - q + q e^y)
    const double loss = std::log(kRest) + std::log1p((1 - kRest) * std::exp(base_loss) / kRest);
    const double q_below = base->at(base_loss).q_below;
    EXPECT_NEAR(pair->at(loss).q_below, q_below, 1e-8 * q_below) << base_loss;
  }
}

}  // namespace
}  // namespace tacit::pld
