#include <gtest/gtest.h>

#include "tacit/anonymize/criteria/k_anonymity.h"
#include "tacit/anonymize/methods/dissection_internal.h"
#include "tacit/anonymize/testing/plain_table.h"

namespace tacit::anonymize {
namespace {

class DissectionTest : public ::testing::Test {
 protected:
  DissectionTest() { criteria_.classes.push_back(k_anonymity(2)); }

  const testing::PlainTable table_{{{"1"}, {"2"}, {"3"}, {"4"}, {"5"}, {"6"}, {"7"}, {"8"}}, 0};
  const std::vector<Axis> axes_{Axis::sorted(table_.records, table_.hierarchies[0], 0)};
  Criteria criteria_;
};

// Each class is cut by itself, and records that are in none stay out.
TEST_F(DissectionTest, StartsFromAnyClasses) {
  Dissection dissection(table_.records, axes_, criteria_, Cuts::kStrict);
  const auto cut = dissection.dissect({{{0, 1}, {2, 1}, {4, 1}}, {{1, 1}, {3, 1}, {5, 1}, {7, 1}}});
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->size(), 3U);
  EXPECT_EQ(cut->shares.size(), 7U);
}

TEST_F(DissectionTest, RefusesClassesThatBreakACriterion) {
  Dissection dissection(table_.records, axes_, criteria_, Cuts::kStrict);
  EXPECT_FALSE(dissection.dissect({{{0, 1}}, {{1, 1}, {3, 1}}}));
}

}  // namespace
}  // namespace tacit::anonymize
