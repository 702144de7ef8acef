#include "tacit/anonymize/column_change.h"

#include <gtest/gtest.h>

namespace tacit::anonymize {
namespace {

TEST(ColumnChange, SaysWhatItDoes) {
  ColumnChange change;
  EXPECT_TRUE(change.is_none());
  EXPECT_EQ(change.to_string(), "");
  change.top = Rational(90);
  change.perturbation = rule::Noise{.deviation = Rational(500)};
  change.rounding = Rounding{.to = Rational(100), .random = true};
  EXPECT_FALSE(change.is_none());
  EXPECT_EQ(change.to_string(), "at most 90, noise of deviation 500, rounded to 100 at random");
  change = {.perturbation = rule::RankSwap{.part = Rational::ratio(1, 20).value()}};
  EXPECT_EQ(change.to_string(), "swapped within 5% of ranks");
  change = {.perturbation = rule::Microaggregate{.k = 5, .median = true}};
  EXPECT_EQ(change.to_string(), "medians of groups of 5");
  change = {.perturbation = rule::Pram{.probability = Rational::ratio(1, 10).value()}};
  EXPECT_EQ(change.to_string(), "replaced with probability 0.1");
}

TEST(ColumnChange, KnowsWhatNeedsNumbers) {
  EXPECT_TRUE(ColumnChange{.bottom = Rational(1)}.needs_numbers());
  EXPECT_TRUE((ColumnChange{.perturbation = rule::Noise{}}.needs_numbers()));
  EXPECT_FALSE((ColumnChange{.perturbation = rule::Pram{}}.needs_numbers()));
  EXPECT_FALSE((ColumnChange{.perturbation = rule::RankSwap{}}.needs_numbers()));
}

}  // namespace
}  // namespace tacit::anonymize
