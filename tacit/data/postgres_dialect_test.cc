#include <gmock/gmock.h>

#include "tacit/data/testing/dialect_suite.h"

namespace tacit {
namespace {

class PostgresDialectTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const uri = std::getenv("TACIT_TEST_POSTGRES");
    if (uri == nullptr) {
      GTEST_SKIP() << "no server: run under scripts/with-postgres (sets TACIT_TEST_POSTGRES)";
    }
    auto opened = Engine::postgres(uri);
    ASSERT_TRUE(opened) << opened.error().message();
    engine_.emplace(*std::move(opened));
  }

  std::optional<Engine> engine_;
  const Dialect& dialect_ = postgres_dialect();
};

TEST_F(PostgresDialectTest, FunctionsHaveTheirValues) { check_functions(*engine_); }

// Operands that are long are computed once, in a row of their own.
TEST_F(PostgresDialectTest, FunctionsOfLongOperandsHaveTheirValues) {
  check_functions(*engine_, [](const std::string& column) {
    return fmt::format("{} /*{}*/", column, std::string(100, ' '));
  });
}

TEST_F(PostgresDialectTest, CastsHaveTheirValues) { check_casts(*engine_); }

TEST_F(PostgresDialectTest, NoValueIsAnError) { check_totality(*engine_); }

TEST_F(PostgresDialectTest, NoLiteralIsAnError) { check_totality_of_literals(*engine_); }

TEST_F(PostgresDialectTest, LiteralsReadBack) {
  std::vector<ValueCheck> checks;
  for (const Type& type : {kBooleanType, kIntegerType, Type{TypeKind::kDecimal, 38, 5}, kRealType,
                           kTextType, kDateType, kTimestampType}) {
    for (const Cell& cell : cases::nasty_values(type)) {
      checks.push_back({[](auto names) { return names[0]; }, {{cell, type}}, {cell, type}, "it"});
    }
  }
  expect_in_batches(*engine_, checks);
}

// Values that the server knows and private SQL does not.
TEST_F(PostgresDialectTest, WhatIsNoValueIsReadAsNull) {
  const auto read = [&](const std::string& value, const Type& type) {
    return dialect_.read_as(value, type);
  };
  const auto table = engine_->query(fmt::format(
      "SELECT {}, {}, {}, {}, {}", read("CAST('NaN' AS numeric)", cases::decimal_type(9, 2)),
      read("CAST('infinity' AS date)", kDateType),
      read("CAST('-infinity' AS timestamp)", kTimestampType),
      read("DATE '0044-03-15 BC'", kDateType), read("DATE '2020-01-01'", kDateType)));
  ASSERT_TRUE(table) << engine_->steward_detail();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(table->columns[i][0], Cell()) << i;
  EXPECT_EQ(table->columns[4][0], cases::day("2020-01-01").cell);
}

TEST_F(PostgresDialectTest, InfiniteDatesAreNoError) {
  const std::vector<Type> dates{kDateType, kDateType};
  const std::vector<Type> counted{kDateType, kIntegerType};
  const std::vector<std::string> both{"a0", "a0"};
  const std::vector<std::string> one{"a0", "CAST(5 AS bigint)"};
  for (const std::string& call :
       {dialect_.call(Function::kYear, both, dates, kIntegerType),
        dialect_.call(Function::kTruncateWeek, both, dates, kDateType),
        dialect_.call(Function::kAddDays, one, counted, kDateType),
        dialect_.call(Function::kAddMonths, one, counted, kDateType),
        dialect_.call(Function::kDaysBetween, both, dates, kIntegerType)}) {
    const auto table = engine_->query(fmt::format(
        "SELECT count({}) FROM (VALUES ('infinity'::date), ('-infinity'::date)) AS t(a0)", call));
    ASSERT_TRUE(table) << engine_->steward_detail();
    EXPECT_EQ(table->columns[0][0], Cell(int128{0}));
  }
}

// Neither in text nor in time does an expression double at every level.
TEST_F(PostgresDialectTest, LongSumsStayShort) {
  for (const Type& type : {kIntegerType, kRealType, cases::decimal_type(38, 2)}) {
    std::string sum = "r";
    const std::vector<Type> types{type, type};
    for (int level = 0; level < 30; ++level) {
      const std::vector<std::string> arguments{sum, "r"};
      sum = dialect_.call(Function::kAdd, arguments, types, type);
    }
    EXPECT_LT(sum.size(), 20'000U);
    const auto table = engine_->query(
        fmt::format("SELECT {} FROM (VALUES ({}), ({})) AS t(r) LIMIT 1", sum,
                    dialect_.literal(type == kRealType ? Cell(2.0) : Cell(int128{2}), type),
                    dialect_.literal(Cell(), type)));
    ASSERT_TRUE(table) << engine_->steward_detail();
    EXPECT_EQ(table->columns[0][0], type == kRealType ? Cell(62.0) : Cell(int128{62}));
  }
}

TEST_F(PostgresDialectTest, KeyedHashTellsOperandsApart) {
  const auto hash = [&](std::vector<std::string> operands, std::string_view secret = "key") {
    const auto table = engine_->query(
        fmt::format("SELECT CAST({} AS text)", dialect_.keyed_hash(operands, secret)));
    EXPECT_TRUE(table) << engine_->steward_detail();
    return table ? table->columns[0][0] : Cell();
  };
  EXPECT_EQ(hash({"'a'", "'b'"}), hash({"'a'", "'b'"}));
  EXPECT_NE(hash({"'a'", "'b'"}), hash({"'ab'", "''"}));
  EXPECT_NE(hash({"'a'", "'b'"}), hash({"'a'", "'b'"}, "other"));
  EXPECT_NE(hash({"''"}), hash({"CAST(NULL AS text)"}));
}

TEST_F(PostgresDialectTest, SumsDoNotOverflow) {
  const auto table = engine_->query("SELECT " + dialect_.exact_sum("x", kIntegerType) +
                                    " FROM (VALUES (9223372036854775807), (9223372036854775807)) "
                                    "AS t(x)");
  ASSERT_TRUE(table) << engine_->steward_detail();
  EXPECT_EQ(table->columns[0][0], Cell(int128{9223372036854775807} * 2));
}

TEST(PostgresEngine, AServerThatIsNotThereIsSaid) {
  const auto engine = Engine::postgres("postgresql://localhost:1/none?connect_timeout=2");
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().exit_status(), 3);
}

}  // namespace
}  // namespace tacit
