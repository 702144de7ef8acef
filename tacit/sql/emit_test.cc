#include "tacit/sql/emit.h"

#include <gtest/gtest.h>

#include "tacit/sql/aggregate_sql.h"
#include "tacit/sql/ask.h"
#include "tacit/sql/binder_internal.h"

namespace tacit::sql {
namespace {

Schema notes() {
  Schema out{.dataset = "clinic"};
  TableSchema table{.name = "notes", .source = "notes"};
  table.unit = {.kind = Unit::Kind::kRow};
  table.columns = {{.name = "word", .type = kTextType}};
  out.tables = {table};
  return out;
}

std::string counting(int words) {
  std::string sum = "word";
  for (int i = 1; i < words; ++i) sum += " || word";
  return "SELECT count(*) FROM notes WHERE " + sum + " = 'x'";
}

TEST(Emitter, WritesEachColumnUnderANumberedName) {
  const Schema schema = notes();
  Emitter emitter(duckdb_dialect(), Emitter::Numbers::kLeftOut);
  const FlatSelect flat = emitter.flatten(*scan(schema.tables.front()));
  EXPECT_EQ(emitter.select(flat, {flat.columns.front()}),
            "SELECT t0.\"word\" AS c0 FROM notes AS t0");
  EXPECT_FALSE(emitter.too_long());
}

// The text of `a || b` names both sides twice, so it doubles with every further one.
TEST(Emitter, DeepExpressionsAreRefusedBeforeTheyFillTheMemory) {
  const Schema schema = notes();
  auto embedded = *Engine::duckdb_in_memory(Engine::Files::kRefused);
  EXPECT_TRUE(prepare(counting(3), schema, {.epsilon = 1}, embedded));
  const auto refused = prepare(counting(60), schema, {.epsilon = 1}, embedded);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kBadInput);
  EXPECT_NE(refused.error().what.find("too deep"), std::string::npos) << refused.error().what;
}

// A long column that is named often is written once.
TEST(Emitter, LongColumnsAreWrittenOnce) {
  const Schema schema = notes();
  std::string longer = "word = 'x'";
  for (int i = 0; i < 30; ++i) longer += " OR word = 'y" + std::to_string(i) + "'";
  const std::string text = "SELECT count(*) FROM (SELECT " + longer +
                           " AS b FROM notes) AS t WHERE b OR NOT b OR b IS NULL";
  auto embedded = *Engine::duckdb_in_memory(Engine::Files::kRefused);
  const auto planned = prepare(text, schema, {.epsilon = 1}, embedded);
  ASSERT_TRUE(planned) << planned.error().message();
  const auto written = [&](const Dialect& dialect) {
    return measure_statements(planned->query.aggregations.front(), planned->aggregations.front(),
                              dialect, "secret")
        .front()
        .sql;
  };
  const std::string duckdb = written(duckdb_dialect());
  EXPECT_EQ(duckdb.find("'y29'"), duckdb.rfind("'y29'"));
  EXPECT_EQ(duckdb.find("OFFSET"), std::string::npos);
  EXPECT_NE(written(postgres_dialect()).find(" OFFSET 0)"), std::string::npos);
}

}  // namespace
}  // namespace tacit::sql
