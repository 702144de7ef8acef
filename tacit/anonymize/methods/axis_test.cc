#include "tacit/anonymize/methods/axis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace tacit::anonymize {
namespace {

// A column with these values, once each.
struct OneColumn {
  explicit OneColumn(const std::vector<std::vector<std::string>>& lines)
      : hierarchy(Hierarchy::create(lines, "column").value()) {
    RecordsBuilder builder(1, 0);
    for (std::uint32_t i = 0; i < lines.size(); ++i) builder.add(std::array{i}, {}, 1);
    records = std::move(builder).build();
  }

  Hierarchy hierarchy;
  Records records;
};

TEST(Axis, ShowsRangesOfNumbersByTheirValue) {
  const OneColumn table({{"10"}, {"9"}, {"30"}, {"12.5"}});
  const Axis axis = Axis::sorted(table.records, table.hierarchy, 0);
  EXPECT_EQ(axis.rank(1), 0U);
  EXPECT_EQ(axis.rank(2), 3U);
  EXPECT_EQ(axis.label(0, 2), "9 .. 12.5");
  EXPECT_EQ(axis.label(1, 1), "10");
  EXPECT_DOUBLE_EQ(axis.width(0, 3), 1);
  EXPECT_DOUBLE_EQ(axis.width(0, 2), 3.5 / 21);
  EXPECT_DOUBLE_EQ(axis.width(2, 2), 0);
}

TEST(Axis, ShowsSetsOfTexts) {
  const OneColumn table({{"red"}, {"blue"}, {"green"}, {"7"}});
  const Axis axis = Axis::sorted(table.records, table.hierarchy, 0);
  EXPECT_EQ(axis.label(1, 2), "{blue, green}");
  EXPECT_DOUBLE_EQ(axis.width(1, 2), 0.5);
  EXPECT_EQ(axis.label(3, 3), "red");
}

// A range would say that every value is there.
TEST(Axis, ShowsNothingOfAMissingValueAmongOthers) {
  const OneColumn table({{"10"}, {""}, {"20"}});
  const Axis axis = Axis::sorted(table.records, table.hierarchy, 0);
  EXPECT_EQ(axis.label(0, 0), "");
  EXPECT_EQ(axis.label(0, 1), "*");
  EXPECT_EQ(axis.label(1, 2), "10 .. 20");
  EXPECT_DOUBLE_EQ(axis.width(0, 1), 1);
  EXPECT_DOUBLE_EQ(axis.width(1, 2), 1);
}

TEST(Axis, KeepsAnOrderThatWasGiven) {
  const OneColumn table({{"L"}, {"M"}, {"S"}, {""}});
  const Axis axis = Axis::ordered(table.records, table.hierarchy, 0, {2, 1, 0});
  EXPECT_EQ(axis.rank(3), 0U);
  EXPECT_EQ(axis.label(1, 3), "S .. L");
  EXPECT_DOUBLE_EQ(axis.width(1, 2), 0.5);
}

// Leaves of one value are neighbours, whatever the order of the lines.
TEST(Axis, FollowsAHierarchy) {
  const OneColumn table(
      {{"Paris", "France"}, {"Rome", "Italy"}, {"Lyon", "France"}, {"Milan", "Italy"}});
  const Axis axis = Axis::tree(table.records, table.hierarchy, 0);
  EXPECT_TRUE(axis.is_tree());
  const auto [low, high] = std::minmax({axis.rank(0), axis.rank(2)});
  EXPECT_EQ(high - low, 1U);
  EXPECT_EQ(axis.label(low, high), "France");
  EXPECT_DOUBLE_EQ(axis.width(low, high), 0.5);
  EXPECT_EQ(axis.children_level(low, high), 0U);
  // The hierarchy has no value for all.
  EXPECT_EQ(axis.label(0, 3), "*");
  EXPECT_DOUBLE_EQ(axis.width(0, 3), 1);
  EXPECT_EQ(axis.children_level(0, 3), 1U);
  EXPECT_EQ(axis.child(1, low), axis.child(1, high));
  EXPECT_NE(axis.child(1, 0), axis.child(1, 3));
}

}  // namespace
}  // namespace tacit::anonymize
