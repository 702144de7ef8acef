#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "tacit/data/testing/dialect_suite.h"

namespace tacit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DuckdbDialectTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = Engine::duckdb_in_memory(Engine::Files::kRefused);
    ASSERT_TRUE(opened) << opened.error().message();
    engine_.emplace(*std::move(opened));
  }

  Cell value(const std::string& expression) {
    const auto table = engine_->query("SELECT " + expression);
    EXPECT_TRUE(table) << expression << "\n" << engine_->steward_detail();
    return table ? table->columns[0][0] : Cell();
  }

  std::optional<Engine> engine_;
  const Dialect& dialect_ = duckdb_dialect();
};

TEST_F(DuckdbDialectTest, FunctionsHaveTheirValues) { check_functions(*engine_); }

TEST_F(DuckdbDialectTest, CastsHaveTheirValues) { check_casts(*engine_); }

TEST_F(DuckdbDialectTest, NoValueIsAnError) { check_totality(*engine_); }

// The checks above see a value that is not right, and an error.
TEST_F(DuckdbDialectTest, TheChecksCanFail) {
  for (const std::string expression : {"a0 + 1", "a0 + 9223372036854775807"}) {
    ::testing::TestPartResultArray failures;
    {
      const ::testing::ScopedFakeTestPartResultReporter intercepted(
          ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
      const ValueCheck wrong{[&](auto) { return expression; }, {cases::i(1)}, cases::i(3), "sum"};
      expect_values(*engine_, {&wrong, 1});
    }
    EXPECT_EQ(failures.size(), 1);
  }
}

TEST_F(DuckdbDialectTest, InfiniteDatesAreNoError) {
  const std::string columns = "(VALUES ('infinity'::DATE), ('-infinity'::DATE)) AS t(a0)";
  for (const Function function :
       {Function::kYear, Function::kTruncateWeek, Function::kAddDays, Function::kDaysBetween}) {
    const bool has_two = function == Function::kAddDays || function == Function::kDaysBetween;
    const std::vector<std::string> arguments =
        function == Function::kAddDays ? std::vector<std::string>{"a0", "CAST(5 AS BIGINT)"}
        : has_two                      ? std::vector<std::string>{"a0", "a0"}
                                       : std::vector<std::string>{"a0"};
    const std::vector<Type> types = {kDateType,
                                     function == Function::kAddDays ? kIntegerType : kDateType};
    const auto table =
        engine_->query("SELECT count(" + dialect_.call(function, arguments, types, kDateType) +
                       ") FROM " + columns);
    ASSERT_TRUE(table) << engine_->steward_detail();
    EXPECT_EQ(table->columns[0][0], Cell(int128{0}));
  }
}

TEST_F(DuckdbDialectTest, LiteralsReadBack) {
  for (const Type& type : {kBooleanType, kIntegerType, Type{TypeKind::kDecimal, 38, 5}, kRealType,
                           kTextType, kDateType, kTimestampType}) {
    for (const Cell& cell : cases::nasty_values(type)) {
      const auto table = engine_->query("SELECT " + dialect_.literal(cell, type));
      ASSERT_TRUE(table) << engine_->steward_detail();
      EXPECT_EQ(table->fields[0].type, type);
      EXPECT_TRUE(same_cell(table->columns[0][0], cell)) << dialect_.literal(cell, type);
    }
  }
  EXPECT_EQ(value(dialect_.literal(std::string("a\0'b\0", 5), kTextType)),
            Cell(std::string("a\0'b\0", 5)));
}

TEST_F(DuckdbDialectTest, IdentifiersAreQuoted) {
  EXPECT_EQ(dialect_.identifier("order \"by\""), "\"order \"\"by\"\"\"");
}

TEST_F(DuckdbDialectTest, SumsDoNotOverflow) {
  EXPECT_EQ(value(dialect_.exact_sum("x", kIntegerType) +
                  " FROM (SELECT CAST(9223372036854775807 AS BIGINT) AS x FROM range(1000))"),
            Cell(int128{9223372036854775807} * 1000));
  EXPECT_EQ(
      value(dialect_.exact_sum("x", cases::decimal_type(18, 2)) +
            " FROM (SELECT CAST('9999999999999999.99' AS DECIMAL(18,2)) AS x FROM range(1000))"),
      Cell(int128{999999999999999999} * 1000));
}

TEST_F(DuckdbDialectTest, KeyedHashTellsOperandsApart) {
  const auto hash = [&](std::vector<std::string> operands, std::string_view secret = "key") {
    return value("CAST(" + dialect_.keyed_hash(operands, secret) + " AS VARCHAR)");
  };
  EXPECT_EQ(hash({"'a'", "'b'"}), hash({"'a'", "'b'"}));
  EXPECT_NE(hash({"'a'", "'b'"}), hash({"'ab'", "''"}));
  EXPECT_NE(hash({"'a'", "'b'"}), hash({"'a'", "'b'"}, "other"));
  EXPECT_NE(hash({"''"}), hash({"CAST(NULL AS VARCHAR)"}));
  EXPECT_NE(hash({"'a:1:b'"}), hash({"'a'", "'b'"}));
}

// An expression over reals does not double in length at every level.
TEST_F(DuckdbDialectTest, LongSumsStayShort) {
  std::string sum = "r";
  const std::vector<Type> types{kRealType, kRealType};
  for (int level = 0; level < 20; ++level) {
    const std::vector<std::string> arguments{sum, "r"};
    sum = dialect_.call(Function::kAdd, arguments, types, kRealType);
  }
  EXPECT_LT(sum.size(), 500U);
  EXPECT_EQ(value(sum + " FROM (SELECT CAST('inf' AS DOUBLE) AS r)"), Cell());
  EXPECT_EQ(value(sum + " FROM (SELECT CAST('0.5' AS DOUBLE) AS r)"), Cell(10.5));
}

// What cannot fail by type is left to the engine's fastest operators.
TEST_F(DuckdbDialectTest, NoTryWhereNothingCanFail) {
  const std::vector<std::string> arguments{"a", "b"};
  const std::vector<Type> narrow{cases::decimal_type(8, 2), cases::decimal_type(9, 2)};
  EXPECT_EQ(dialect_.call(Function::kMultiply, arguments, narrow, cases::decimal_type(17, 4)),
            "(a * b)");
  const std::vector<Type> wide{cases::decimal_type(15, 2), cases::decimal_type(15, 2)};
  EXPECT_EQ(dialect_.call(Function::kMultiply, arguments, wide, cases::decimal_type(18, 4)),
            "TRY(a * b)");
  EXPECT_THAT(dialect_.call(Function::kLess, arguments, wide, kBooleanType), Not(HasSubstr("TRY")));
}

}  // namespace
}  // namespace tacit
