#include "tacit/data/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tacit/ledger/testing/scratch.h"

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

TEST(DuckdbEngine, CopiesAResultIntoAnother) {
  Engine from = in_memory();
  Engine to = in_memory();
  const std::string sql = "SELECT i, 'row ' || i AS name, i * 1.5 AS price FROM range(5000) t(i)";
  ASSERT_TRUE(from.copy(sql, to, "copied")) << from.steward_detail();
  EXPECT_EQ(*to.query("SELECT * FROM copied ORDER BY i"), *from.query(sql + " ORDER BY i"));
  EXPECT_FALSE(from.copy("SELECT nothing", to, "other"));
  EXPECT_FALSE(from.copy(sql, to, "copied"));  // it is there already
  EXPECT_FALSE(from.steward_detail().empty());
}

TEST(DuckdbEngine, BringsWholeNumbers) {
  Engine engine = in_memory();
  const auto columns = engine.query_integers(
      "SELECT i::UTINYINT, -i, (i * 1000000007)::BIGINT FROM range(5000) t(r), (SELECT r % 200) "
      "u(i) "
      "ORDER BY r");
  ASSERT_TRUE(columns) << engine.steward_detail();
  ASSERT_EQ(columns->size(), 3U);
  ASSERT_EQ((*columns)[2].size(), 5000U);
  EXPECT_EQ((*columns)[0][4999], 199);
  EXPECT_EQ((*columns)[1][4999], -199);
  EXPECT_EQ((*columns)[2][4999], 199 * 1000000007LL);
  EXPECT_FALSE(engine.query_integers("SELECT 'a'"));
  EXPECT_FALSE(engine.query_integers("SELECT 1::UBIGINT"));
  EXPECT_FALSE(engine.query_integers("SELECT CASE WHEN i > 1 THEN i END FROM range(5) t(i)"));
}

TEST(DuckdbEngine, BringsWholeNumbersABlockAfterAnother) {
  Engine engine = in_memory();
  std::size_t blocks = 0;
  std::size_t rows = 0;
  std::int64_t sum = 0;
  const auto add = [&](const IntegerColumns& block) {
    ++blocks;
    rows += block[1].size();
    for (const std::int64_t value : block[1]) sum += value;
  };
  ASSERT_TRUE(engine.each_integers("SELECT 1, i FROM range(100000) t(i)", add))
      << engine.steward_detail();
  EXPECT_GT(blocks, 1U);
  EXPECT_EQ(rows, 100'000U);
  EXPECT_EQ(sum, 99'999LL * 50'000);
  EXPECT_FALSE(engine.each_integers("SELECT 'a'", add));
  EXPECT_FALSE(engine.each_integers("SELECT nothing", add));
  ASSERT_TRUE(engine.each_integers("SELECT i FROM range(0) t(i)", [](const auto&) { FAIL(); }));
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

// Long enough to be cancelled on any machine.
const std::string kLongQuery =
    "SELECT count(*) FROM range(1000000000) AS a(x), range(1000000) AS b(y) WHERE hash(x + y) = 1";

TEST(DuckdbEngine, CancelsARunningQueryAndAnswersTheNext) {
  Engine engine = in_memory();
  std::atomic<bool> ended = false;
  // Again and again: how long it takes until the query runs nobody knows.
  std::jthread other([&] {
    while (!ended) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      engine.cancel();
    }
  });
  const auto table = engine.query(kLongQuery);
  ended = true;
  ASSERT_FALSE(table);
  EXPECT_THAT(table.error().message(), HasSubstr("cancelled"));
  other.join();
  EXPECT_TRUE(engine.query("SELECT 1"));
}

TEST(DuckdbEngine, ForgetsACancelThatCameTooLate) {
  Engine engine = in_memory();
  std::atomic<bool> stop = false;
  std::thread canceller([&] {
    while (!stop) {
      engine.cancel();
      std::this_thread::yield();
    }
  });
  // Short queries, so that requests come at every moment of their lives.
  for (int i = 0; i < 2000; ++i) (void)engine.query("SELECT 1");
  stop = true;
  canceller.join();
  ASSERT_TRUE(engine.query("SELECT 1"));
  const auto failed = engine.query("SELECT no_such_column");
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message(), HasSubstr("failed to answer"));
}

TEST(DuckdbEngine, CancelWithoutAQueryDoesNothing) {
  Engine engine = in_memory();
  engine.cancel();
  EXPECT_TRUE(engine.query("SELECT 1"));
}

TEST(DuckdbEngine, OpensADatabaseFileForReadingOnly) {
  const Scratch scratch;
  const auto file = scratch / "shop.duckdb";
  {
    Engine writer = in_memory(Engine::Files::kAllowed);
    ASSERT_TRUE(writer.execute("ATTACH '" + file.string() + "' AS shop"));
    ASSERT_TRUE(writer.execute("CREATE TABLE shop.t AS SELECT 1 AS a"));
  }
  auto engine = Engine::duckdb(file);
  ASSERT_TRUE(engine) << engine.error().message();
  EXPECT_TRUE(engine->query("SELECT a FROM t"));
  EXPECT_FALSE(engine->execute("INSERT INTO t VALUES (2)"));
  EXPECT_FALSE(engine->execute("DROP TABLE t"));
}

TEST(DuckdbEngine, AFileThatIsNoDatabaseIsSaid) {
  const auto engine = Engine::duckdb("/dev/null");
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().exit_status(), 3);
}

TEST(DuckdbEngine, SpillsAndCleansUp) {
  const Scratch scratch;
  ASSERT_EQ(::setenv("TMPDIR", (scratch / "").c_str(), 1), 0);
  {
    Engine engine = in_memory(Engine::Files::kAllowed);
    ASSERT_TRUE(engine.execute("SET memory_limit = '40MB'"));
    ASSERT_TRUE(engine.execute("SET threads = 1"));
    const auto table = engine.query(
        "SELECT count(*) FROM (SELECT x, count(*) FROM (SELECT range::VARCHAR || "
        "repeat('x', 30) AS x FROM range(1000000)) GROUP BY x)");
    ASSERT_TRUE(table) << engine.steward_detail();
    EXPECT_EQ(table->columns[0][0], Cell(int128{1000000}));
  }
  ASSERT_EQ(::unsetenv("TMPDIR"), 0);
  EXPECT_TRUE(std::filesystem::is_empty(scratch / ""));
}

TEST(DuckdbEngine, AMissingDriverIsSaid) {
  const Scratch scratch;
  ASSERT_EQ(::setenv("TACIT_DRIVERS", (scratch / "").c_str(), 1), 0);
  const auto engine = Engine::duckdb_in_memory(Engine::Files::kRefused);
  ASSERT_EQ(::unsetenv("TACIT_DRIVERS"), 0);
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().exit_status(), 3);
  EXPECT_THAT(engine.error().message(), HasSubstr("libduckdb.so"));
  EXPECT_THAT(engine.error().remedy, HasSubstr("scripts/drivers"));
}

}  // namespace
}  // namespace tacit
