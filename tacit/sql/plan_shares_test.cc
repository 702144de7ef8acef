#include "tacit/sql/plan_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/privacy/accountant.h"
#include "tacit/privacy/pure.h"
#include "tacit/sql/bind.h"

namespace tacit::sql {
namespace {

using ::testing::HasSubstr;

class PlanShares : public ::testing::Test {
 protected:
  PlanShares() {
    TableSchema table{.name = "people", .source = "people", .unit = {.kind = Unit::Kind::kRow}};
    table.columns = {{.name = "age", .type = kIntegerType, .lower = 0, .upper = 100},
                     {.name = "name", .type = kTextType}};
    schema_.tables.push_back(std::move(table));
  }

  BoundQuery bound(const std::vector<std::string>& texts) {
    BoundQuery out;
    for (const std::string& text : texts) {
      auto one = bind(QueryText(text), schema_, embedded_).value();
      out.aggregations.push_back(std::move(one.aggregations.front()));
    }
    return out;
  }
  Result<QueryPlan> plan(const std::vector<std::string>& texts, const NoiseTarget& target,
                         const std::vector<AggregateShares>& shares) {
    return plan_by_shares(bound(texts), schema_, {}, target, shares);
  }
  static Rational ratio(std::int64_t a, std::int64_t b) { return Rational::ratio(a, b).value(); }

  Engine embedded_ = Engine::duckdb_in_memory(Engine::Files::kRefused).value();
  Schema schema_{.dataset = "town"};
};

constexpr const char* kBoth = "SELECT count(*), sum(age) FROM people";

TEST_F(PlanShares, EpsilonIsDividedAsSaid) {
  const auto planned = plan({kBoth, "SELECT count(*) FROM people WHERE age > 50"},
                            PureTarget{Rational(2)}, {{ratio(1, 2), ratio(1, 4)}, {ratio(1, 4)}});
  ASSERT_TRUE(planned) << planned.error().message();
  EXPECT_EQ(pure_epsilon(planned->aggregations[0].measures[0].noise->cost()), Rational(1));
  EXPECT_EQ(pure_epsilon(planned->aggregations[0].measures[1].noise->cost()), ratio(1, 2));
  EXPECT_EQ(pure_epsilon(planned->cost), Rational(2));
  EXPECT_FALSE(planned->gaussian);
}

TEST_F(PlanShares, AllSharesOfAGaussianTargetTogetherMeetIt) {
  const Rational delta = Rational::parse("1e-5").value();
  const auto planned =
      plan({kBoth, kBoth, kBoth}, ApproximateTarget{Rational(1), delta},
           {{ratio(1, 6), ratio(1, 3)}, {ratio(1, 4), ratio(1, 8)}, {ratio(1, 16), ratio(1, 16)}});
  ASSERT_TRUE(planned) << planned.error().message();
  const auto proved = prove_epsilon(Accountant::kPld, planned->cost, 1e-5);
  ASSERT_TRUE(proved) << proved.error().message();
  EXPECT_LE(proved->upper, 1.01);
  EXPECT_GT(proved->upper, 0.95) << "and not far below";
}

// What a later question is about may depend on earlier answers, as long as its cost does not.
TEST_F(PlanShares, TheCostIsThatOfSharesAndRangesAlone) {
  const std::vector<AggregateShares> shares{{ratio(1, 2), ratio(1, 2)}};
  const auto cost = [&](const std::string& text, const NoiseTarget& target) {
    return plan({text}, target, shares)->cost;
  };
  for (const NoiseTarget& target :
       {NoiseTarget(PureTarget{Rational(1)}),
        NoiseTarget(ApproximateTarget{Rational(1), Rational::parse("1e-6").value()})}) {
    const Cost one = cost(kBoth, target);
    EXPECT_EQ(one, cost("SELECT count(*), sum(age) FROM people WHERE age < 7", target));
    EXPECT_EQ(one, cost("SELECT g, count(*), sum(age) FROM (SELECT age, CASE WHEN age > 3 THEN 0 "
                        "WHEN age > 2 THEN 1 ELSE 2 END AS g FROM people) AS t GROUP BY g",
                        target));
    EXPECT_FALSE(one == cost("SELECT count(*), sum(age * 2) FROM people", target) &&
                 one == cost("SELECT count(*), sum(age) FROM people", PureTarget{Rational(2)}));
  }
}

TEST_F(PlanShares, RefusesWhatItCannotPromise) {
  const PureTarget target{Rational(1)};
  const auto refusal = [&](const std::string& text, const std::vector<AggregateShares>& shares) {
    const auto planned = plan({text}, target, shares);
    EXPECT_FALSE(planned) << text;
    return planned ? std::string() : planned.error().message();
  };
  EXPECT_THAT(refusal(kBoth, {{ratio(1, 2), ratio(2, 3)}}), HasSubstr("more than the whole"));
  EXPECT_THAT(refusal(kBoth, {{ratio(1, 2), Rational(0)}}), HasSubstr("above 0"));
  EXPECT_THAT(refusal(kBoth, {{ratio(1, 2)}}), HasSubstr("every aggregate"));
  EXPECT_THAT(refusal(kBoth, {}), HasSubstr("every aggregation"));
  EXPECT_THAT(refusal("SELECT name, count(*) FROM people GROUP BY name", {{Rational(1)}}),
              HasSubstr("not known beforehand"));
  EXPECT_THAT(refusal("SELECT avg(age) FROM people", {{Rational(1)}}),
              HasSubstr("counts and sums"));
  EXPECT_FALSE(plan_by_shares(bound({kBoth}), schema_, {}, ZcdpTarget{Rational(1)},
                              {{ratio(1, 2), ratio(1, 2)}}));
}

}  // namespace
}  // namespace tacit::sql
