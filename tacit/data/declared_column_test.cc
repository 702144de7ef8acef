#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/data/declared_column_internal.h"

namespace tacit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Rational number(const char* text) { return *Rational::parse(text); }

DeclaredColumn with_value(const char* type, DeclaredValue value) {
  return {.name = "a", .type = type, .values = {std::move(value)}};
}

bool has_value(const char* type, DeclaredValue value) {
  return to_column(with_value(type, std::move(value)), "t").has_value();
}

TEST(DeclaredColumn, KeepsWhatIsDeclared) {
  const auto made = to_column({.name = "a", .type = "integer", .nulls = false}, "t");
  ASSERT_TRUE(made);
  EXPECT_EQ(*made, (Column{.name = "a", .type = kIntegerType, .nulls = false}));
  EXPECT_TRUE(to_column({.name = "a", .type = "integer"}, "t")->nulls);
}

TEST(DeclaredColumn, ValuesAreCellsOfItsType) {
  const auto cell = [](const char* type, DeclaredValue value) {
    return to_column(with_value(type, std::move(value)), "t")->values.front();
  };
  EXPECT_EQ(cell("integer", Rational(-7)), Cell(int128{-7}));
  EXPECT_EQ(cell("decimal(5,2)", number("1.25")), Cell(int128{125}));
  EXPECT_EQ(cell("decimal(38,0)", number("-12345678901234567890123456789012345678")),
            Cell(-(int128{1234567890123456789} * 10'000'000'000'000'000'000U +
                   int128{123456789012345678})));
  EXPECT_EQ(cell("real", number("0.5")), Cell(0.5));
  EXPECT_EQ(cell("boolean", false), Cell(false));
  EXPECT_EQ(cell("text", std::string("2020-02-29")), Cell("2020-02-29"));
  EXPECT_EQ(cell("date", std::string("1970-01-03")), Cell(int128{2}));
  EXPECT_EQ(cell("timestamp", std::string("1970-01-01 00:00:01")), Cell(int128{1'000'000}));
}

TEST(DeclaredColumn, ValuesFitItsType) {
  EXPECT_TRUE(has_value("decimal(3,1)", number("99.9")));
  EXPECT_TRUE(has_value("decimal(3,1)", number("-99.9")));
  EXPECT_FALSE(has_value("decimal(3,1)", number("100")));
  EXPECT_FALSE(has_value("decimal(3,1)", number("-100")));
  EXPECT_FALSE(has_value("decimal(3,1)", number("0.25")));
  EXPECT_TRUE(has_value("integer", number("9223372036854775807")));
  EXPECT_TRUE(has_value("integer", number("-9223372036854775808")));
  EXPECT_FALSE(has_value("integer", number("9223372036854775808")));
}

TEST(DeclaredColumn, ValuesOfOtherTypesAreRefused) {
  EXPECT_FALSE(has_value("integer", std::string("7")));
  EXPECT_FALSE(has_value("real", std::string("7")));
  EXPECT_FALSE(has_value("integer", true));
  EXPECT_FALSE(has_value("text", Rational(7)));
  EXPECT_FALSE(has_value("text", true));
  EXPECT_FALSE(has_value("boolean", Rational(1)));
  EXPECT_FALSE(has_value("date", Rational(1)));
  EXPECT_FALSE(has_value("date", std::string("1970-01-01 00:00:00")));
  EXPECT_FALSE(has_value("timestamp", std::string("1970-01-01")));
  const auto refused = to_column(with_value("boolean", Rational(1)), "t");
  EXPECT_THAT(refused.error().message(), HasSubstr("t a: one of its values"));
}

DeclaredColumn with_range(const char* type, DeclaredBound min, DeclaredBound max) {
  return {.name = "a", .type = type, .min = std::move(min), .max = std::move(max)};
}

TEST(DeclaredColumn, RangesAreNumbersOfItsType) {
  const auto range = [](const char* type, DeclaredBound min, DeclaredBound max) {
    const auto made = to_column(with_range(type, std::move(min), std::move(max)), "t");
    EXPECT_TRUE(made) << made.error().message();
    return std::vector{*made->lower, *made->upper};
  };
  EXPECT_THAT(range("integer", number("-0.5"), number("1/3")),
              ElementsAre(number("-0.5"), number("1/3")));
  EXPECT_THAT(range("date", std::string("1969-12-31"), std::string("1970-01-03")),
              ElementsAre(Rational(-1), Rational(2)));
  // A day stands for its first moment.
  EXPECT_THAT(range("timestamp", std::string("1970-01-02"), std::string("1970-01-02 00:00:01.5")),
              ElementsAre(Rational(86'400'000'000), Rational(86'401'500'000)));
}

TEST(DeclaredColumn, RangesOfOtherTypesAreRefused) {
  EXPECT_FALSE(to_column(with_range("text", std::string("a"), std::string("b")), "t"));
  EXPECT_FALSE(to_column(with_range("boolean", Rational(0), Rational(1)), "t"));
  EXPECT_FALSE(to_column(with_range("date", Rational(0), Rational(1)), "t"));
  EXPECT_FALSE(to_column(with_range("integer", std::string("0"), std::string("1")), "t"));
  EXPECT_FALSE(
      to_column(with_range("date", std::string("2020-02-30"), std::string("2020-03-01")), "t"));
  const auto upper =
      to_column({.name = "a", .type = "date", .max = DeclaredBound(Rational(1))}, "t");
  ASSERT_FALSE(upper);
  EXPECT_THAT(upper.error().message(), HasSubstr("t a: 'min' and 'max'"));
}

TEST(DeclaredColumn, AnUnknownTypeNamesItsPlace) {
  const auto refused = to_column({.name = "a", .type = "blob"}, "t");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "t a");
}

}  // namespace
}  // namespace tacit
