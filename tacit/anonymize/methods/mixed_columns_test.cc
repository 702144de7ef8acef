#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tacit/anonymize/methods/mixed_columns_internal.h"
#include "tacit/anonymize/testing/plain_table.h"

namespace tacit::anonymize {
namespace {

// Numbers of mean 2 and deviation 1, one missing; three letters.
class MixedColumnsTest : public ::testing::Test {
 protected:
  const testing::PlainTable table_{{{"1", "a"}, {"3", "b"}, {"1", "c"}, {"3", "b"}, {"", "a"}}, 0};
  const MixedColumns space_{table_.records, table_.hierarchies};
};

TEST_F(MixedColumnsTest, PlacesNumbersInDeviationsAndTextsByLeaf) {
  EXPECT_TRUE(space_.has_numbers(0));
  EXPECT_FALSE(space_.has_numbers(1));
  EXPECT_EQ(space_.leaves(1), 3U);
  EXPECT_DOUBLE_EQ(space_.point(0)[0], -1);
  EXPECT_DOUBLE_EQ(space_.point(1)[0], 1);
  EXPECT_TRUE(std::isnan(space_.point(3)[0]));
  EXPECT_EQ(space_.point(1)[1], table_.hierarchies[1].leaf("b"));
}

TEST_F(MixedColumnsTest, FindsCentersAndWidths) {
  const std::array<RecordRows, 3> group{{{0, 1}, {1, 2}, {2, 1}}};
  EXPECT_EQ(space_.center(group, 0, Center::kMean), "2");
  EXPECT_EQ(space_.center(group, 0, Center::kMedian), "1");
  EXPECT_EQ(space_.center(group, 1, Center::kMean), "b");
  EXPECT_DOUBLE_EQ(space_.width(group, 0), 1);
  EXPECT_DOUBLE_EQ(space_.width(group, 1), 1);
  const std::array<RecordRows, 2> mostly_missing{{{3, 2}, {0, 1}}};
  EXPECT_EQ(space_.center(mostly_missing, 0, Center::kMean), "");
}

}  // namespace
}  // namespace tacit::anonymize
