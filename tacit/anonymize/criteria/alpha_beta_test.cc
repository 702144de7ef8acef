#include "tacit/anonymize/criteria/alpha_beta.h"

#include <gtest/gtest.h>

#include "tacit/anonymize/testing/one_class.h"
#include "tacit/anonymize/testing/sensitive_rows.h"

namespace tacit::anonymize {
namespace {

using testing::OneClass;

TEST(AlphaBeta, BoundsRareValuesUpwardsAndFrequentOnesDownwards) {
  const Records records = testing::sensitive_rows({60, 35, 5});
  const auto criterion = alpha_beta_privacy(records, 0, 0.1, 0.5);
  EXPECT_TRUE(criterion->holds(OneClass({1, 0, 1}).view()));
  EXPECT_FALSE(criterion->holds(OneClass({4, 0, 5}).view()));   // 5% became more than half
  EXPECT_TRUE(criterion->holds(OneClass({1, 9, 0}).view()));    // 35% is neither rare nor frequent
  EXPECT_FALSE(criterion->holds(OneClass({1, 10, 0}).view()));  // 60% became less than a tenth
  EXPECT_TRUE(criterion->is_hopeless(OneClass({0, 10, 0}).view()));
}

// From 0.1 to 0.5 needs a factor of 9.
TEST(AlphaBeta, AmplificationBoundsAnyPrior) {
  EXPECT_TRUE(is_amplification_safe({{0.8, 0.2}, {0.2, 0.8}}, 0.1, 0.5));
  EXPECT_TRUE(is_amplification_safe({{0.89, 0.11}, {0.11, 0.89}}, 0.1, 0.5));
  EXPECT_FALSE(is_amplification_safe({{0.91, 0.09}, {0.09, 0.91}}, 0.1, 0.5));
  EXPECT_FALSE(is_amplification_safe({{1, 0}, {0.5, 0.5}}, 0.1, 0.5));
  // What is never published tells nothing.
  EXPECT_TRUE(is_amplification_safe({{1, 0}, {1, 0}}, 0.1, 0.5));
}

}  // namespace
}  // namespace tacit::anonymize
