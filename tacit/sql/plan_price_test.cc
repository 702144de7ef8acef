#include "tacit/sql/plan_price_internal.h"

#include <gtest/gtest.h>

#include "tacit/privacy/accountant.h"
#include "tacit/sql/ask.h"
#include "tacit/sql/testing/town_schema.h"

namespace tacit::sql {
namespace {

class PlanPrice : public ::testing::TestWithParam<std::tuple<Neighbours, bool>> {};

// The composition of all parts is at most what the question may cost, by adding epsilons and
// deltas up; nothing finer is needed to believe it.
TEST_P(PlanPrice, IsWithinEpsilonAndDelta) {
  const auto [neighbours, learn] = GetParam();
  const Schema schema = testing::town_schema(neighbours);
  Engine embedded = Engine::duckdb_in_memory(Engine::Files::kRefused).value();
  const Learn all{.rows = true, .groups = true, .ranges = true};
  for (const char* sql :
       {"SELECT count(*) FROM visits", "SELECT place, avg(minutes) FROM visits GROUP BY place",
        "SELECT note, count(*) FROM visits GROUP BY note",
        "SELECT note, median(minutes), sum(price) FROM visits GROUP BY note",
        "SELECT a.n, b.n FROM (SELECT note, count(*) AS n FROM visits GROUP BY note) a JOIN "
        "(SELECT note, sum(minutes) AS n FROM visits GROUP BY note) b ON a.note = b.note"}) {
    const auto plan = prepare(sql, schema,
                              {.epsilon = Rational(3),
                               .delta = Rational::parse("1e-3").value(),
                               .bounds = {.groups = 2, .rows_per_group = 2},
                               .learn = learn ? all : Learn{}},
                              embedded);
    ASSERT_TRUE(plan) << sql << ": " << plan.error().message();
    if (plan->gaussian) continue;
    const auto proved = prove_epsilon(Accountant::kBasic, plan->cost, 1.000001e-3);
    ASSERT_TRUE(proved) << sql << ": " << proved.error().message();
    EXPECT_LE(proved->upper, 3 * (1 + 1e-9)) << sql;
    EXPECT_GT(proved->upper, 2.9) << sql << ": and not far below";
  }
}

INSTANTIATE_TEST_SUITE_P(Relations, PlanPrice,
                         ::testing::Combine(::testing::Values(Neighbours::kAddRemove,
                                                              Neighbours::kReplace),
                                            ::testing::Bool()));

}  // namespace
}  // namespace tacit::sql
