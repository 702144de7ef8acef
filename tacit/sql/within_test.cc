#include "tacit/sql/within.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/sql/bind.h"
#include "tacit/sql/plan_facts.h"

namespace tacit::sql {
namespace {

using ::testing::HasSubstr;

class WithinTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(embedded_);
    schema_.tables.push_back({.name = "visits",
                              .source = "visits",
                              .unit = {.kind = Unit::Kind::kRow},
                              .columns = {{"hour", kIntegerType, Rational(0), Rational(23)},
                                          {"minutes", kIntegerType, Rational(0), Rational(60)}}});
  }

  BoundQuery bound(const std::string& text) {
    auto query = bind(QueryText(text), schema_, *embedded_);
    EXPECT_TRUE(query) << query.error().message();
    return *std::move(query);
  }
  double width(const BoundQuery& query, PlanOptions options, const Rational& epsilon) {
    options.epsilon = epsilon;
    const auto facts = facts_of(*plan(query, schema_, options), duckdb_dialect());
    double widest = 0;
    for (const ColumnFacts& column : facts->releases[0].columns) {
      widest = std::max(widest, *column.half_width);
    }
    return widest;
  }

  Schema schema_{.dataset = "clinic"};
  Result<Engine> embedded_ = Engine::duckdb_in_memory(Engine::Files::kRefused);
};

TEST_F(WithinTest, IsTheLeastEpsilonThatIsExactEnough) {
  for (const char* delta : {"", "1e-6"}) {
    PlanOptions options;
    if (*delta != '\0') options.delta = *Rational::parse(delta);
    for (const char* text : {"SELECT count(*) FROM visits",
                             "SELECT hour, count(*), sum(minutes) FROM visits GROUP BY hour"}) {
      const BoundQuery query = bound(text);
      const auto least = least_epsilon(query, schema_, options, Rational(100));
      ASSERT_TRUE(least) << least.error().message();
      EXPECT_LE(width(query, options, *least), 100) << text;
      EXPECT_GT(width(query, options, *least * *Rational::parse("0.99")), 100) << text;
    }
  }
}

TEST_F(WithinTest, RefusesWhatDependsOnData) {
  const auto refused =
      least_epsilon(bound("SELECT avg(minutes) FROM visits"), schema_, {}, Rational(1));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("avg(minutes) depends on data"));
  EXPECT_FALSE(least_epsilon(bound("SELECT count(*) FROM visits"), schema_, {}, Rational(0)));
  EXPECT_FALSE(least_epsilon(bound("SELECT 1"), schema_, {}, Rational(1)));
  EXPECT_FALSE(least_epsilon(bound("SELECT sum(minutes) FROM visits"), schema_, {},
                             *Rational::parse("1e-9")));
}

}  // namespace
}  // namespace tacit::sql
