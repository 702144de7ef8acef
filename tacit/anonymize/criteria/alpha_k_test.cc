#include "tacit/anonymize/criteria/alpha_k.h"

#include <gtest/gtest.h>

#include "tacit/anonymize/testing/one_class.h"
#include "tacit/anonymize/testing/sensitive_rows.h"

namespace tacit::anonymize {
namespace {

using testing::OneClass;

TEST(AlphaK, BoundsTheShareOfOneValueOrOfAll) {
  const Records records = testing::sensitive_rows({5, 3, 2});
  const auto all = alpha_deassociation(records, 0, 0.5);
  EXPECT_TRUE(all->holds(OneClass({2, 1, 1}).view()));
  EXPECT_FALSE(all->holds(OneClass({1, 3, 1}).view()));
  EXPECT_EQ(all->least_rows(), 2U);
  const auto last = alpha_deassociation(records, 0, 0.5, 2);
  EXPECT_TRUE(last->holds(OneClass({1, 3, 1}).view()));
  EXPECT_FALSE(last->holds(OneClass({1, 0, 3}).view()));
  EXPECT_TRUE(last->is_hopeless(OneClass({0, 0, 3}).view()));
  EXPECT_FALSE(last->is_hopeless(OneClass({1, 0, 3}).view()));
}

}  // namespace
}  // namespace tacit::anonymize
