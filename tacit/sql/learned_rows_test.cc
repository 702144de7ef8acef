#include "tacit/sql/learned_rows.h"

#include <gtest/gtest.h>

#include "tacit/privacy/testing/permit_for_tests.h"
#include "tacit/sql/ask.h"

namespace tacit::sql {
namespace {

Schema stays() {
  Schema out{.dataset = "clinic"};
  TableSchema table{.name = "stays", .source = "stays"};
  table.unit = {.kind = Unit::Kind::kColumns, .columns = {"person"}};
  table.columns = {{.name = "person", .type = kIntegerType},
                   {.name = "days", .type = kIntegerType, .lower = 0, .upper = 30}};
  out.tables = {table};
  return out;
}

class LearnedRows : public ::testing::Test {
 protected:
  // 1000 people with 1 to 7 stays each, and one with ten thousand.
  LearnedRows() {
    EXPECT_TRUE(engine_.execute(
        "CREATE TABLE stays AS SELECT CAST(p AS BIGINT) AS person, CAST(s % 30 AS BIGINT) AS days "
        "FROM range(1000) AS a(p), range(10000) AS b(s) WHERE s < 1 + p % 7 OR p = 999"));
  }

  Schema schema_ = stays();
  Engine engine_ = *Engine::duckdb_in_memory(Engine::Files::kRefused);
  Engine embedded_ = *Engine::duckdb_in_memory(Engine::Files::kRefused);
};

TEST_F(LearnedRows, AreRefusedUnlessAskedFor) {
  EXPECT_FALSE(prepare("SELECT count(*) FROM stays", schema_, {.epsilon = 1}, embedded_));
  EXPECT_TRUE(prepare("SELECT count(*) FROM stays", schema_, {.epsilon = 1, .learn_rows = true},
                      embedded_));
}

TEST_F(LearnedRows, CostTheSameWhateverIsLearnt) {
  const auto plan = *prepare("SELECT count(*), sum(days), median(days) FROM stays", schema_,
                             {.epsilon = 1, .learn_rows = true}, embedded_);
  const AggregationPlan& one = plan.aggregations.front();
  const auto wider = *with_rows(one, 1000, plan.neighbours, 0.95);
  for (std::size_t j = 0; j < one.measures.size(); ++j) {
    EXPECT_EQ(one.measures[j].noise->cost(), wider.measures[j].noise->cost());
    EXPECT_EQ(wider.measures[j].upper, 1000 * one.measures[j].upper);
    EXPECT_GT(*wider.measures[j].noise->half_width(0.95), *one.measures[j].noise->half_width(0.95));
  }
  EXPECT_EQ(one.quantiles[0].mechanism->cost(), wider.quantiles[0].mechanism->cost());
}

TEST_F(LearnedRows, FitMostPeopleAndNotTheOneWithThousands) {
  // At this epsilon the draw is the exact quantile but with probability far below 1e-9.
  const auto plan = *prepare("SELECT count(*) FROM stays", schema_,
                             {.epsilon = 100, .learn_rows = true}, embedded_);
  auto stream = *SecureStream::create();
  Permit permit = PermitForTests::mint(plan.cost);
  const auto rows =
      learn_rows(plan.query.aggregations[0], plan.aggregations[0], engine_, permit, stream);
  ASSERT_TRUE(rows);
  EXPECT_EQ(*rows, 7U);
}

TEST_F(LearnedRows, AnswerWholeQueries) {
  const auto plan = *prepare("SELECT count(*), avg(days) FROM stays", schema_,
                             {.epsilon = 100, .learn_rows = true}, embedded_);
  auto stream = *SecureStream::create();
  const auto tables = release(plan, engine_, PermitForTests::mint(plan.cost), stream);
  ASSERT_TRUE(tables) << engine_.steward_detail();
  const auto answer = finish(plan, *tables, engine_, embedded_);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->columns.size(), 2U);
}

}  // namespace
}  // namespace tacit::sql
