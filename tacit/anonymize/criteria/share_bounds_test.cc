#include <gtest/gtest.h>

#include "tacit/anonymize/criteria/share_bounds_internal.h"
#include "tacit/anonymize/testing/one_class.h"

namespace tacit::anonymize {
namespace {

using testing::OneClass;

TEST(ShareCriterion, KeepsSharesWithinBounds) {
  const ShareCriterion criterion(0, {{.least = 0.2, .most = 0.6}, {.least = 0, .most = 0.5}, {}});
  EXPECT_TRUE(criterion.holds(OneClass({1, 2, 2}).view()));
  EXPECT_FALSE(criterion.holds(OneClass({1, 2, 3}).view()));  // a sixth of the first
  EXPECT_FALSE(criterion.holds(OneClass({7, 0, 3}).view()));
  EXPECT_FALSE(criterion.holds(OneClass({0, 1, 1}).view()));  // the first must be there
  EXPECT_TRUE(criterion.is_hopeless(OneClass({0, 1, 1}).view()));
  EXPECT_TRUE(criterion.is_hopeless(OneClass({4, 0, 0}).view()));  // it may not fill a class
  EXPECT_FALSE(criterion.is_hopeless(OneClass({4, 9, 0}).view()));
}

TEST(ShareCriterion, NeedsRowsEnoughForASmallShare) {
  EXPECT_EQ(ShareCriterion(0, {{.most = 0.3}, {.most = 0.25}}).least_rows(), 4U);
  EXPECT_EQ(ShareCriterion(0, {{.most = 0.25}, {.most = 0.25}}).least_rows(), 4U);
  EXPECT_EQ(ShareCriterion(0, {{.most = 0.25}, {}}).least_rows(), 1U);
}

}  // namespace
}  // namespace tacit::anonymize
