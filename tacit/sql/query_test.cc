#include "tacit/sql/query.h"

#include <gtest/gtest.h>

#include "tacit/data/engine.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/scratch.h"
#include "tacit/sql/ask.h"
#include "tacit/sql/bind.h"

namespace tacit::sql {
namespace {

Schema schema() {
  Schema out{.dataset = "clinic"};
  TableSchema visits{.name = "visits", .source = "visits"};
  visits.unit = {.kind = Unit::Kind::kRow};
  visits.columns = {{.name = "age", .type = kIntegerType, .lower = 0, .upper = 120},
                    {.name = "ward",
                     .type = kTextType,
                     .values = {Cell(std::string("a")), Cell(std::string("b"))}}};
  TableSchema stays{.name = "stays", .source = "stays"};
  stays.unit = {.kind = Unit::Kind::kColumns, .columns = {"person"}};
  stays.columns = {{.name = "person", .type = kIntegerType},
                   {.name = "days", .type = kIntegerType, .lower = 0, .upper = 30}};
  out.tables = {visits, stays};
  return out;
}

// What both front ends make of one question must emit and cost the same.
std::string cost_of(const Result<BoundQuery>& bound, const Schema& schema) {
  if (!bound) return bound.error().message();
  const auto planned = plan(*bound, schema, {.epsilon = 1, .bounds = {.rows_per_group = 5}});
  return planned ? planned->cost.to_text() : planned.error().message();
}

TEST(Query, SaysTheSameAsText) {
  const Schema known = schema();
  auto embedded = *Engine::duckdb_in_memory(Engine::Files::kRefused);
  const auto from_text = bind(
      QueryText("SELECT ward, count(*) AS n, avg(age) AS a FROM visits WHERE age > 17 GROUP BY "
                "ward"),
      known, embedded);
  const auto from_calls = query("visits")
                              .where(column("age") > 17)
                              .group_by({column("ward")})
                              .count("n")
                              .average(column("age"), "a")
                              .bound(known);
  ASSERT_TRUE(from_text && from_calls);
  EXPECT_EQ(from_text->aggregations.size(), from_calls->aggregations.size());
  EXPECT_EQ(cost_of(from_text, known), cost_of(from_calls, known));
}

TEST(Query, RefusesWhatTextRefuses) {
  const Schema known = schema();
  EXPECT_FALSE(query("nobody").count().bound(known));
  EXPECT_FALSE(query("visits").where(column("height") > 2).count().bound(known));
  EXPECT_FALSE(
      query("visits").group_by({column("ward")}).bound(known).value().aggregations.empty());
  const auto two = query("visits").join(query("stays"), column("age") == column("days"));
  EXPECT_FALSE(two.count().bound(known));
}

TEST(Query, PartsShareNoUnit) {
  const Schema known = schema();
  const auto parts = query("visits").partition(column("ward"), {"a", "b"}, known);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->size(), 2U);
  // A person has many stays, so a stay's length does not keep people apart.
  EXPECT_FALSE(query("stays").partition(column("days"), {1, 2}, known));
  // The same value twice is one part twice, however it is written.
  EXPECT_FALSE(query("visits").partition(column("ward"), {"a", "b", "a"}, known));
  EXPECT_TRUE(query("visits").partition(column("age"), {1, 2}, known));
  EXPECT_FALSE(query("visits").partition(column("age"), {1, 1.0}, known));
}

// McSherry's example: an agent with a budget of 1 answers at 0.01 and 0.10 and refuses 1.00.
TEST(Query, AnAgentHoldsTheBudgetAndRefuses) {
  const Schema known = schema();
  auto engine = *Engine::duckdb_in_memory(Engine::Files::kRefused);
  auto embedded = *Engine::duckdb_in_memory(Engine::Files::kRefused);
  ASSERT_TRUE(engine.execute(
      "CREATE TABLE visits AS SELECT CAST(i % 90 AS BIGINT) AS age, CASE WHEN i % 2 = 0 THEN 'a' "
      "ELSE 'b' END AS ward FROM range(1000) AS r(i)"));
  const Scratch folder;
  auto ledger = *Ledger::create(*create_sqlite_store(folder / "ledger.sqlite"), "steward");
  ASSERT_TRUE(
      ledger.create_dataset({.dataset = "clinic", .budget = *Budget::pure(1), .who = "steward"}));
  const auto ask_at = [&](const Rational& epsilon) {
    const auto planned = *plan(*query("visits").where(column("age") < 45).count().bound(known),
                               known, {.epsilon = epsilon});
    return ask(planned, {.account = *AccountId::parse("clinic"), .who = "agent"}, ledger, engine,
               embedded);
  };
  EXPECT_TRUE(ask_at(*Rational::parse("0.01")));
  EXPECT_TRUE(ask_at(*Rational::parse("0.10")));
  const auto refused = ask_at(*Rational::parse("1.00"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kBudget);
}

}  // namespace
}  // namespace tacit::sql
