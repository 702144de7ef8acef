#include "tacit/anonymize/sensitive_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::anonymize {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SensitiveValues, AreInTheirOwnOrder) {
  const ColumnPolicy column{.name = "pain"};
  EXPECT_THAT(*in_order(column, {{"10"}, {"9"}, {"-1"}}), ElementsAre("-1", "9", "10"));
  EXPECT_THAT(*in_order(column, {{"10"}, {"9"}, {"much"}}), ElementsAre("10", "9", "much"));
}

TEST(SensitiveValues, AreInTheOrderOfThePolicy) {
  const ColumnPolicy column{.name = "pain", .order = {"none", "some", "much"}, .place = "p:3"};
  EXPECT_THAT(*in_order(column, {{"much"}, {"none"}}), ElementsAre("none", "much"));
  const auto refused = in_order(column, {{"none"}, {"awful"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "p:3");
  EXPECT_THAT(refused.error().what, HasSubstr("'awful'"));
}

TEST(SensitiveValues, HaveATaxonomyInTheirOrder) {
  const ColumnPolicy column{.name = "code", .hierarchy = rule::Prefix{.lengths = {1}}};
  const auto taxonomy = taxonomy_of(column, {"E11", "A00", "A09"});
  ASSERT_TRUE(taxonomy);
  EXPECT_EQ((*taxonomy)->leaf("E11"), 0U);
  EXPECT_EQ((*taxonomy)->leaf("A09"), 2U);
  EXPECT_EQ((*taxonomy)->at(1, 1), (*taxonomy)->at(1, 2));
  EXPECT_NE((*taxonomy)->at(1, 0), (*taxonomy)->at(1, 1));
}

}  // namespace
}  // namespace tacit::anonymize
