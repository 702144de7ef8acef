#include "tacit/data/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Engine in_memory(Engine::Files files = Engine::Files::kRefused) {
  auto engine = Engine::duckdb_in_memory(files);
  if (!engine) ADD_FAILURE() << engine.error().message();
  return *std::move(engine);
}

TEST(DuckdbEngine, AnswersAQuery) {
  Engine engine = in_memory();
  const auto table = engine.query("SELECT 1 AS one, 'two' AS two, NULL::INTEGER AS none");
  ASSERT_TRUE(table) << table.error().message() << engine.steward_detail();
  EXPECT_EQ(table->fields, (std::vector<Field>{
                               {"one", kIntegerType}, {"two", kTextType}, {"none", kIntegerType}}));
  EXPECT_EQ(table->columns, (std::vector<std::vector<Cell>>{
                                {Cell(int128{1})}, {Cell(std::string("two"))}, {Cell()}}));
}

TEST(DuckdbEngine, ParsesSqlIntoItsSyntaxTree) {
  Engine engine = in_memory();
  const auto table = engine.query("SELECT json_serialize_sql('SELECT count(*) FROM orders')");
  ASSERT_TRUE(table) << table.error().message() << engine.steward_detail();
  EXPECT_THAT(std::get<std::string>(table->columns[0][0]), HasSubstr("count_star"));
}

TEST(DuckdbEngine, LoadsATableOfEveryType) {
  Engine engine = in_memory();
  const Table table{.fields = {{"b", kBooleanType},
                               {"i", kIntegerType},
                               {"d", {TypeKind::kDecimal, 38, 3}},
                               {"r", kRealType},
                               {"t", kTextType},
                               {"day", kDateType},
                               {"moment", kTimestampType}},
                    .columns = {{Cell(true), Cell(), Cell(false)},
                                {Cell(int128{-1}), Cell(), Cell(int128{1} << 62)},
                                {Cell(int128{-1} << 100), Cell(), Cell(int128{1234})},
                                {Cell(0.5), Cell(), Cell(-1e300)},
                                {Cell(std::string("ä")), Cell(), Cell(std::string())},
                                {Cell(int128{-719162}), Cell(), Cell(int128{2932896})},
                                {Cell(int128{-1}), Cell(), Cell(int128{1'600'000'000'000'000})}}};
  const auto loaded = engine.load("made here", table);
  ASSERT_TRUE(loaded) << engine.steward_detail();
  const auto back = engine.query("SELECT * FROM \"made here\"");
  ASSERT_TRUE(back) << engine.steward_detail();
  EXPECT_EQ(*back, table);
}

TEST(DuckdbEngine, ErrorsSayNothingOfRows) {
  Engine engine = in_memory();
  const auto table = engine.query("SELECT CAST(x AS INTEGER) FROM (VALUES ('secret')) t(x)");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().exit_status(), 3);
  EXPECT_THAT(table.error().message(), Not(HasSubstr("secret")));
  EXPECT_THAT(engine.steward_detail(), HasSubstr("secret"));
}

TEST(DuckdbEngine, WithoutFilesReadsNoneAndStaysLocked) {
  Engine engine = in_memory();
  EXPECT_FALSE(engine.query("SELECT * FROM read_csv('/etc/passwd')"));
  EXPECT_FALSE(engine.execute("SET enable_external_access = true"));
  EXPECT_FALSE(engine.execute("ATTACH '/tmp/other.duckdb'"));
  EXPECT_FALSE(engine.execute("COPY (SELECT 1) TO '/tmp/out.csv'"));
}

}  // namespace
}  // namespace tacit
