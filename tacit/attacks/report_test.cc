#include "tacit/attacks/report.h"

#include <gtest/gtest.h>

namespace tacit::attacks {
namespace {

// Wilson's interval of 8 in 10, by hand: (0.8 + 0.19207) / 1.38415 -+ 0.3165 / 1.38415.
TEST(Share, HasWilsonsInterval) {
  const Share share = share_of(8, 10);
  EXPECT_DOUBLE_EQ(share.value, 0.8);
  EXPECT_NEAR(share.lower, 0.4901625, 1e-6);
  EXPECT_NEAR(share.upper, 0.9433178, 1e-6);
}

TEST(Share, StaysBetweenNoneAndAll) {
  EXPECT_EQ(share_of(0, 5).lower, 0);
  EXPECT_GT(share_of(0, 5).upper, 0.4);
  EXPECT_EQ(share_of(5, 5).upper, 1);
  EXPECT_EQ(share_of(0, 0).upper, 1);
}

TEST(Report, BeatsGuessingOnlyBeyondDoubt) {
  Report report{.targets = 100, .successes = 58, .baseline = 0.5};
  EXPECT_FALSE(report.beats_guessing());
  report.successes = 62;
  EXPECT_TRUE(report.beats_guessing());
}

}  // namespace
}  // namespace tacit::attacks
