#include "tacit/learn/known_column.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::learn {
namespace {

using testing::HasSubstr;

sql::Expression column(Type type, sql::Facts facts) {
  return {type, std::move(facts), sql::ColumnReference{0}};
}

TEST(KnownColumn, HasTheListedValuesOnce) {
  const Cell red(std::string("red"));
  const Cell blue(std::string("blue"));
  const auto known =
      known_column("colour", column(kTextType, {.values = {{red, blue, red}}}), "--label");
  ASSERT_TRUE(known);
  EXPECT_THAT(known->values, testing::UnorderedElementsAre(red, blue));
}

TEST(KnownColumn, HasTheWholeNumbersOfASmallRange) {
  const auto known = known_column(
      "hour", column(kIntegerType, {.lower = Rational(9), .upper = Rational(11)}), "--label");
  ASSERT_TRUE(known);
  EXPECT_EQ(known->values.size(), 3U);
}

TEST(KnownColumn, IsRefusedByNameWhereNothingIsDeclared) {
  for (const sql::Facts& facts :
       {sql::Facts{}, sql::Facts{.lower = Rational(0), .upper = Rational(100000)}}) {
    const auto known = known_column("city", column(kIntegerType, facts), "--categories");
    ASSERT_FALSE(known);
    EXPECT_THAT(known.error().message(), HasSubstr("'city'"));
    EXPECT_THAT(known.error().message(), HasSubstr("--categories"));
  }
}

TEST(PlaceAmong, IsAWholeNumberForEveryRow) {
  const KnownColumn known{
      .name = "x", .type = kIntegerType, .values = {Cell(int128{4}), Cell(int128{7})}};
  const auto expression = std::make_shared<const sql::Expression>(column(kIntegerType, {}));
  const auto place = place_among(known, expression);
  EXPECT_EQ(place->type(), kIntegerType);
  const auto& parts = std::get<sql::Case>(place->node());
  EXPECT_EQ(parts.branches.size(), 2U);
  ASSERT_TRUE(parts.otherwise);
}

}  // namespace
}  // namespace tacit::learn
