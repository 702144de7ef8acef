#include "tacit/data/arrow_writer_internal.h"

#include <gtest/gtest.h>

#include <limits>

#include "tacit/data/arrow_reader_internal.h"

namespace tacit::adbc {
namespace {

// Every type, with a NULL between values and the ends of each range.
Table every_type() {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  const int128 digits = int128{kMost} * 1'000'000;
  Table table;
  const auto add = [&](const char* name, Type type, std::vector<Cell> cells) {
    table.fields.push_back({name, type});
    table.columns.push_back(std::move(cells));
  };
  add("truth", kBooleanType, {true, Cell(), false});
  add("whole", kIntegerType, {int128{kLeast}, Cell(), int128{kMost}});
  add("price", {TypeKind::kDecimal, 38, 2}, {-digits, Cell(), digits});
  add("real", kRealType, {-1e300, Cell(), 5e-324});
  add("name", kTextType, {std::string("Grüße"), Cell(), std::string()});
  add("day", kDateType, {int128{-1}, Cell(), int128{20000}});
  add("moment", kTimestampType, {int128{-1}, Cell(), int128{kMost}});
  return table;
}

TEST(ArrowWriter, WritesWhatTheReaderReads) {
  const Table table = every_type();
  const auto read = read_table(to_stream(table));
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(*read, table);
}

TEST(ArrowWriter, WritesMoreRowsThanABitmapsFirstByte) {
  Table table{.fields = {{"odd", kBooleanType}, {"name", kTextType}}, .columns = {{}, {}}};
  for (int i = 0; i < 1000; ++i) {
    table.columns[0].push_back(i % 3 == 0 ? Cell() : Cell(i % 2 == 1));
    table.columns[1].emplace_back(std::string(static_cast<std::size_t>(i % 7), 'x'));
  }
  const auto read = read_table(to_stream(table));
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(*read, table);
}

TEST(ArrowWriter, ATableWithoutRowsKeepsItsColumns) {
  Table table = every_type();
  for (auto& column : table.columns) column.clear();
  const auto read = read_table(to_stream(table));
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(*read, table);
}

}  // namespace
}  // namespace tacit::adbc
