#include <gtest/gtest.h>

#include <array>

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

TEST_F(MixedColumnsTest, AddsDistancesOfNumbersAndTexts) {
  const auto distance = [&](std::uint32_t a, std::uint32_t b) {
    return space_.distance(space_.point(a), space_.point(b));
  };
  EXPECT_DOUBLE_EQ(distance(0, 0), 0);
  EXPECT_DOUBLE_EQ(distance(0, 1), 4 + 1);  // two deviations, and another letter
  EXPECT_DOUBLE_EQ(distance(0, 2), 1);
  EXPECT_DOUBLE_EQ(distance(0, 3), 1);  // the missing number
  EXPECT_DOUBLE_EQ(distance(3, 3), 0);
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
  EXPECT_EQ(space_.average(group).size(), 2U);
  EXPECT_DOUBLE_EQ(space_.average(group)[0], 0);
}

}  // namespace
}  // namespace tacit::anonymize
