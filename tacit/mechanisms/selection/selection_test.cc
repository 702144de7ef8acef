#include "tacit/mechanisms/selection/selection.h"

#include <gtest/gtest.h>

#include <limits>

#include "tacit/mechanisms/selection/testing/run_mechanism.h"

namespace tacit {
namespace {

using testing::number;
using testing::refusal;

TEST(Selection, TheRateIsHalvedUnlessScoresAreMonotonic) {
  EXPECT_EQ(score_rate({.epsilon = number("0.6"), .sensitivity = 3}).value(), number("0.1"));
  EXPECT_EQ(score_rate({.epsilon = number("0.6"), .sensitivity = 3, .monotonic = true}).value(),
            number("0.2"));
}

TEST(Selection, RefusesWhatHasNoMeaning) {
  EXPECT_NE(refusal(score_rate({.epsilon = 0})), "");
  EXPECT_NE(refusal(score_rate({.epsilon = -1})), "");
  EXPECT_NE(refusal(score_rate({.epsilon = 1, .sensitivity = 0})), "");
  EXPECT_NE(refusal(score_rate({.epsilon = number("1e40")})), "");
  EXPECT_NE(refusal(score_rate({.epsilon = number("1e-40")})), "");
  EXPECT_NE(
      refusal(score_rate({.epsilon = 1, .sensitivity = std::numeric_limits<std::uint64_t>::max()})),
      "");
}

TEST(Selection, ANanNeverBecomesAnEpsilon) {
  EXPECT_FALSE(Rational::decimal(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(Rational::decimal(std::numeric_limits<double>::infinity()));
}

TEST(Selection, WantsAsManyCandidatesAsChoices) {
  EXPECT_TRUE(require_candidates(3, 3));
  EXPECT_NE(refusal(require_candidates(0)), "");
  EXPECT_NE(refusal(require_candidates(2, 3)), "");
}

}  // namespace
}  // namespace tacit
