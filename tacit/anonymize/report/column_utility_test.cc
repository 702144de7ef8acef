#include "tacit/anonymize/report/column_utility.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacit/anonymize/testing/letters.h"

namespace tacit::anonymize {
namespace {

// Letters of four (4, 2, 1 and 1 rows) and their two pairs.
class ColumnUtilityTest : public ::testing::Test {
 protected:
  [[nodiscard]] LeafRows rows(const std::vector<bool>& is_kept) const {
    return leaf_rows(letters_.records(), is_kept, 0, hierarchy());
  }
  [[nodiscard]] const Hierarchy& hierarchy() const { return letters_.hierarchies()[0]; }

 private:
  testing::Letters letters_;
};

TEST_F(ColumnUtilityTest, KeepsAllOrNothing) {
  const LeafRows all = rows({true, true, true, true});
  const ColumnUtility same = column_utility(hierarchy(), 0, all);
  EXPECT_EQ(same.values_before, 4U);
  EXPECT_EQ(same.values_after, 4U);
  EXPECT_DOUBLE_EQ(same.granularity, 1);
  EXPECT_DOUBLE_EQ(same.precision.value(), 1);
  EXPECT_DOUBLE_EQ(same.entropy, 1);
  const ColumnUtility top = column_utility(hierarchy(), 2, all);
  EXPECT_EQ(top.values_after, 1U);
  EXPECT_DOUBLE_EQ(top.granularity, 0);
  EXPECT_DOUBLE_EQ(top.precision.value(), 0);
  EXPECT_DOUBLE_EQ(top.entropy, 0);
}

TEST_F(ColumnUtilityTest, CountsSuppressedCellsAsLost) {
  // c and d, one row each, are suppressed; a and b become ab.
  const ColumnUtility found = column_utility(hierarchy(), 1, rows({true, true, false, false}));
  EXPECT_EQ(found.level, 1U);
  EXPECT_EQ(found.levels, 3U);
  EXPECT_EQ(found.values_after, 1U);
  EXPECT_DOUBLE_EQ(found.granularity, 6 * 0.5 / (8 * 0.75));
  EXPECT_DOUBLE_EQ(found.precision.value(), 6.0 / 8 * 0.5);
  // Bits: 4 rows had 1, 2 had 2, 2 had 3; six rows still tell ab (6 of 8) from cd.
  EXPECT_DOUBLE_EQ(found.entropy, 6 * std::log2(8.0 / 6) / (4 * 1 + 2 * 2 + 2 * 3));
}

// Granularity is what the measure of loss leaves, column by column.
TEST_F(ColumnUtilityTest, AgreesWithTheLoss) {
  testing::Letters letters;
  const auto measure = loss_measure(letters.records(), letters.hierarchies());
  double joined = 1;
  for (std::size_t c = 0; c < 2; ++c) {
    const LeafRows each =
        leaf_rows(letters.records(), {true, true, false, false}, c, letters.hierarchies()[c]);
    joined *= 2 - column_utility(letters.hierarchies()[c], 1, each).granularity;
  }
  EXPECT_NEAR(letters.score(*measure, {1, 1}, 3), std::sqrt(joined) - 1, 1e-9);
}

TEST_F(ColumnUtilityTest, SpreadsPublishedValuesEvenly) {
  const Distribution found = distribution(hierarchy(), 1, rows({true, true, false, true}));
  EXPECT_FALSE(found.is_ordered);
  ASSERT_EQ(found.bars.size(), 4U);
  EXPECT_EQ(found.bars[0].label, "a");
  EXPECT_EQ(found.bars[0].before, 4);
  EXPECT_EQ(found.bars[0].after, 3);  // of six rows that are a or b
  EXPECT_EQ(found.bars[3].label, "d");
  EXPECT_EQ(found.bars[3].after, 0.5);
}

// What classes show need not follow a hierarchy.
TEST_F(ColumnUtilityTest, TakesWhatClassesShow) {
  // Value 0 stands for a and b, value 1 for b alone; c and d are suppressed.
  const std::vector<ShownRows> shown = {{.leaf = 0, .value = 0, .rows = 4},
                                        {.leaf = 1, .value = 0, .rows = 1},
                                        {.leaf = 1, .value = 1, .rows = 1}};
  const LeafRows four = rows({true, true, false, false});
  const ColumnUtility found = column_utility(hierarchy(), four, shown);
  EXPECT_FALSE(found.level);
  EXPECT_FALSE(found.precision);
  EXPECT_EQ(found.values_before, 4U);
  EXPECT_EQ(found.values_after, 2U);
  EXPECT_DOUBLE_EQ(found.granularity, (5 * 2.0 + 1 * 3.0) / (8 * 3.0));
  const double bits =
      4 * (1 - std::log2(5.0 / 4)) + (2 - std::log2(5.0)) + 2;  // a had 1 bit, b had 2
  EXPECT_DOUBLE_EQ(found.entropy, bits / (4 * 1 + 2 * 2 + 2 * 3));
  const Distribution spread = distribution(hierarchy(), four, shown);
  EXPECT_EQ(spread.bars[0].after, 2.5);
  EXPECT_EQ(spread.bars[1].after, 3.5);
  EXPECT_EQ(spread.bars[2].after, 0);
}

// A global recoding, seen as classes that show what they like, keeps as many bits.
TEST_F(ColumnUtilityTest, AgreesWithARecodingSeenAsClasses) {
  const testing::Letters letters;
  const std::vector<bool> all(4, true);
  const PublishedView view = recoded_view(letters.records(), letters.hierarchies(), {1, 0}, all);
  const auto shown = shown_rows(letters.records(), view, 0);
  const ColumnUtility by_level = column_utility(hierarchy(), 1, rows(all));
  const ColumnUtility by_class = column_utility(hierarchy(), rows(all), shown);
  EXPECT_DOUBLE_EQ(by_level.entropy, by_class.entropy);
  EXPECT_DOUBLE_EQ(by_level.granularity, by_class.granularity);
  EXPECT_EQ(by_level.values_after, by_class.values_after);
}

TEST(Distribution, OrdersNumbersAndDates) {
  const auto labels = [](const std::vector<std::string>& values) {
    std::vector<std::vector<std::string>> lines;
    for (const std::string& value : values) lines.push_back({value});
    const Hierarchy hierarchy = Hierarchy::create(lines, "column").value();
    const std::vector<std::uint64_t> rows(values.size(), 1);
    std::string out;
    for (const Bar& bar : distribution(hierarchy, 0, {.before = rows, .kept = rows}).bars) {
      out += bar.label + " ";
    }
    return out;
  };
  EXPECT_EQ(labels({"10", "9.5", "", "-1"}), " -1 9.5 10 ");
  EXPECT_EQ(labels({"2024-02-01", "1999-12-31"}), "1999-12-31 2024-02-01 ");
  EXPECT_EQ(labels({"10", "x", "9"}), "10 9 x ");
}

}  // namespace
}  // namespace tacit::anonymize
