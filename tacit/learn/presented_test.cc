#include "tacit/learn/presented.h"

#include <gmock/gmock.h>

namespace tacit::learn {
namespace {

TEST(Presented, NumbersMayBeWhole) {
  const auto column =
      number_column("n", {1.6, -2.4}, {0.5, 0.5}, IntervalKind::kExact, kIntegerType);
  EXPECT_THAT(column.values, testing::ElementsAre(Cell(int128{2}), Cell(int128{-2})));
  EXPECT_EQ(column.half_widths.size(), 2U);
}

TEST(Presented, CellsAreJsonOfTheirKind) {
  EXPECT_EQ(cell_json(Cell(std::string("a")), kTextType), "a");
  EXPECT_EQ(cell_json(Cell(true), kBooleanType), true);
  EXPECT_EQ(cell_json(Cell(int128{7}), kIntegerType), 7);
  EXPECT_EQ(cell_json(Cell(int128{1250}), Type{TypeKind::kDecimal, 10, 2}), 12.5);
  EXPECT_TRUE(cell_json(Cell(), kTextType).is_null());
}

TEST(Presented, FeaturesHaveTheirRanges) {
  const sql::Json json = features_json({{.name = "age", .sql = "age", .lower = 0, .upper = 100}});
  EXPECT_EQ(json[0]["name"], "age");
  EXPECT_EQ(json[0]["upper"], 100);
}

}  // namespace
}  // namespace tacit::learn
