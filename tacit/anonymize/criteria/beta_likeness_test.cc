#include "tacit/anonymize/criteria/beta_likeness.h"

#include <gtest/gtest.h>

#include "tacit/anonymize/testing/one_class.h"
#include "tacit/anonymize/testing/sensitive_rows.h"

namespace tacit::anonymize {
namespace {

using testing::OneClass;

TEST(BetaLikeness, BasicBoundsWhatAValueGains) {
  const Records records = testing::sensitive_rows({80, 10, 10});
  const auto twice = basic_likeness(records, 0, 1);
  EXPECT_TRUE(twice->holds(OneClass({6, 2, 2}).view()));
  EXPECT_FALSE(twice->holds(OneClass({6, 3, 1}).view()));
  // Shares may fall to nothing.
  EXPECT_TRUE(twice->holds(OneClass({9, 0, 0}).view()));
  // Two values may have a fifth each at most: no part of such a class can do.
  EXPECT_TRUE(twice->is_hopeless(OneClass({0, 5, 5}).view()));
  EXPECT_FALSE(twice->is_hopeless(OneClass({1, 5, 5}).view()));
}

// -ln(0.8) is 0.223: the frequent value may have 0.979 at most, and basic likeness allows all.
TEST(BetaLikeness, EnhancedBoundsFrequentValuesToo) {
  const Records records = testing::sensitive_rows({80, 10, 10});
  const auto twice = enhanced_likeness(records, 0, 1);
  EXPECT_TRUE(twice->holds(OneClass({97, 1, 2}).view()));
  EXPECT_FALSE(twice->holds(OneClass({98, 1, 1}).view()));
  EXPECT_TRUE(basic_likeness(records, 0, 1)->holds(OneClass({98, 1, 1}).view()));
}

}  // namespace
}  // namespace tacit::anonymize
