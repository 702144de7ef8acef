#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/data/engine.h"

namespace tacit {
namespace {

using ::testing::HasSubstr;

class ArrowReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = Engine::duckdb_in_memory(Engine::Files::kAllowed);
    ASSERT_TRUE(opened) << opened.error().message();
    engine_.emplace(*std::move(opened));
  }

  Table query(const std::string& sql) {
    auto table = engine_->query(sql);
    EXPECT_TRUE(table) << sql << "\n" << engine_->steward_detail();
    return table ? *table : Table{};
  }

  // The only value of a query, and its type.
  void expect(const std::string& expression, const Type& type, const Cell& cell) {
    const Table table = query("SELECT " + expression);
    ASSERT_EQ(table.rows(), 1U) << expression;
    EXPECT_EQ(table.fields[0].type, type) << expression;
    EXPECT_EQ(table.columns[0][0], cell) << expression;
  }

  std::optional<Engine> engine_;
};

TEST_F(ArrowReaderTest, ReadsNumbersOfEveryWidth) {
  expect("(-128)::TINYINT", kIntegerType, int128{-128});
  expect("255::UTINYINT", kIntegerType, int128{255});
  expect("(-32768)::SMALLINT", kIntegerType, int128{-32768});
  expect("65535::USMALLINT", kIntegerType, int128{65535});
  expect("(-2147483648)::INTEGER", kIntegerType, int128{-2147483648LL});
  expect("4294967295::UINTEGER", kIntegerType, int128{4294967295LL});
  expect("(-9223372036854775808)::BIGINT", kIntegerType,
         int128{std::numeric_limits<std::int64_t>::min()});
  expect("18446744073709551615::UBIGINT", {TypeKind::kDecimal, 20, 0},
         int128{std::numeric_limits<std::uint64_t>::max()});
  expect("(-1)::HUGEINT", {TypeKind::kDecimal, 38, 0}, int128{-1});
  expect("1.5::FLOAT", kRealType, 1.5);
  expect("-1e300", kRealType, -1e300);
  expect("(-1.5)::DECIMAL(4,1)", {TypeKind::kDecimal, 4, 1}, int128{-15});
  expect("1.50::DECIMAL(9,2)", {TypeKind::kDecimal, 9, 2}, int128{150});
  expect("1.50::DECIMAL(18,2)", {TypeKind::kDecimal, 18, 2}, int128{150});
  expect("(-1.50)::DECIMAL(38,2)", {TypeKind::kDecimal, 38, 2}, int128{-150});
}

TEST_F(ArrowReaderTest, ReadsMomentsOfEveryUnit) {
  expect("DATE '1969-12-31'", kDateType, int128{-1});
  const int128 micros = -500'000;
  expect("TIMESTAMP '1969-12-31 23:59:59.5'", kTimestampType, micros);
  expect("TIMESTAMP_S '1969-12-31 23:59:59'", kTimestampType, int128{-1'000'000});
  expect("TIMESTAMP_MS '1969-12-31 23:59:59.5'", kTimestampType, micros);
  expect("TIMESTAMP_NS '1969-12-31 23:59:59.999999999'", kTimestampType, int128{-1});
  expect("TIMESTAMPTZ '1969-12-31 23:59:59.5+00'", kTimestampType, micros);
}

TEST_F(ArrowReaderTest, ReadsTextBooleansAndNull) {
  expect("''", kTextType, std::string());
  expect("'\u00e4' || chr(0)", kTextType, std::string("\u00e4\0", 3));
  expect("TRUE", kBooleanType, true);
  expect("NULL::BOOLEAN", kBooleanType, Cell());
  expect("'b'::ENUM('a', 'b')", kTextType, std::string("b"));
  expect("NULL::ENUM('a', 'b')", kTextType, Cell());
  expect("'00000000-0000-0000-0000-000000000001'::UUID", kTextType,
         std::string("00000000-0000-0000-0000-000000000001"));
}

// More than a batch, NULLs in between, in each layout of text that the engine can be set to.
TEST_F(ArrowReaderTest, ReadsManyRows) {
  for (const std::string setting :
       {"SELECT 1", "SET arrow_large_buffer_size = true", "SET produce_arrow_string_view = true"}) {
    ASSERT_TRUE(engine_->execute(setting)) << engine_->steward_detail();
    const Table table = query(
        "SELECT CASE WHEN range % 3 > 0 THEN range END AS i, CASE WHEN range % 7 > 0 THEN "
        "repeat('x', (range % 20)::BIGINT) END AS t, CASE WHEN range % 5 > 0 THEN range % 2 = 0 "
        "END "
        "AS b FROM range(10000) ORDER BY range");
    ASSERT_EQ(table.rows(), 10000U);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      ASSERT_EQ(table.columns[0][row], row % 3 > 0 ? Cell(static_cast<int128>(row)) : Cell());
      ASSERT_EQ(table.columns[1][row], row % 7 > 0 ? Cell(std::string(row % 20, 'x')) : Cell());
      ASSERT_EQ(table.columns[2][row], row % 5 > 0 ? Cell(row % 2 == 0) : Cell());
    }
  }
}

TEST_F(ArrowReaderTest, AnEmptyResultHasItsColumns) {
  const Table table = query("SELECT 1 AS a, 'x' AS b WHERE FALSE");
  EXPECT_EQ(table.fields.size(), 2U);
  EXPECT_EQ(table.rows(), 0U);
}

TEST_F(ArrowReaderTest, OtherTypesAreAnErrorForTheSteward) {
  for (const std::string value : {"[1, 2]", "INTERVAL 1 DAY", "TIME '10:00:00'", "{'a': 1}"}) {
    EXPECT_FALSE(engine_->query("SELECT " + value + " AS odd")) << value;
    EXPECT_THAT(engine_->steward_detail(), HasSubstr("odd")) << value;
  }
}

}  // namespace
}  // namespace tacit
