#include "tacit/privacy/pld_single_internal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tacit::pld {
namespace {

TEST(PldSingle, LaplaceIsKnownInClosedForm) {
  const Pair pair = laplace_pair(0.5);
  const double delta = 1 - std::exp((1.2 - 2) / 2);
  EXPECT_NEAR(single_epsilon_upper(*pair, delta), 1.2, 1e-11);
  EXPECT_NEAR(single_epsilon_lower(*pair, delta), 1.2, 1e-11);
  EXPECT_GE(single_delta_upper(*pair, 1.2), delta);
  EXPECT_LE(single_delta_lower(*pair, 1.2), delta);
}

TEST(PldSingle, NothingIsBelowZeroAndInfinityIsSaid) {
  const Pair pair = approximate_pair(0.1, 1e-3);
  EXPECT_EQ(single_epsilon_upper(*pair, 0.9), 0);
  EXPECT_EQ(single_epsilon_upper(*pair, 1e-4), std::numeric_limits<double>::infinity());
  EXPECT_EQ(single_epsilon_lower(*pair, 1e-4), std::numeric_limits<double>::infinity());
}

TEST(PldSingle, NoiseAsSmallAsAHundredthKeepsItsOrder) {
  const Pair pair = gaussian_pair(0.01);
  const double upper = single_epsilon_upper(*pair, 1e-5);
  EXPECT_GT(upper, 5000);
  EXPECT_LE(single_epsilon_lower(*pair, 1e-5), upper);
}

// Noise too small for a double: its tails are no numbers, and its loss is not known to be small.
TEST(PldSingle, NoNumberBoundsNothing) {
  const Pair pair = gaussian_pair(0);
  EXPECT_EQ(single_delta_upper(*pair, 1), 1);
  EXPECT_EQ(single_epsilon_upper(*pair, 1e-5), std::numeric_limits<double>::infinity());
  EXPECT_EQ(single_delta_lower(*pair, 1), 0);
  EXPECT_EQ(single_epsilon_lower(*pair, 1e-5), 0);
}

}  // namespace
}  // namespace tacit::pld
