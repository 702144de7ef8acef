#include "tacit/learn/moments.h"

#include <gmock/gmock.h>

#include "tacit/learn/testing/learn_test.h"
#include "tacit/privacy/pure.h"
#include "tacit/sql/exact_groups_internal.h"
#include "tacit/sql/testing/movement.h"

namespace tacit::learn {
namespace {

using testing::HasSubstr;

class MomentsTest : public LearnTest {
 protected:
  void two_columns() {
    create(
        "SELECT (i % 11 - 5)::DOUBLE AS x, (2 * (i % 11 - 5) + i % 3)::DOUBLE AS y FROM "
        "range(22000) AS r(i)",
        {real("x", -10, 10), real("y", -20, 20)});
  }
  Rows rows() { return {.from = "people", .columns = {"x", "y"}}; }
};

TEST_F(MomentsTest, AreSumsOfProductsOfScaledFeatures) {
  two_columns();
  const auto plan = plan_moments(rows(), {.epsilon = Rational(20)}, schema_, *embedded_);
  ASSERT_TRUE(plan) << plan.error().message();
  const auto made = make_moments(*plan, asker(), place());
  ASSERT_TRUE(made) << made.error().message();
  const SymmetricMatrix& sums = made->moments.sums;
  EXPECT_NEAR(sums.at(0, 0), 22000, 20);
  EXPECT_NEAR(sums.at(0, 1), 0, 20);
  EXPECT_NEAR(sums.at(1, 1), 2200.0, 20) << "the mean of x^2 is 10, of u^2 0.1";
  EXPECT_NEAR(sums.at(1, 2), 2200.0, 20);
  EXPECT_EQ(sums.at(2, 1), sums.at(1, 2));
  EXPECT_FALSE(made->moments.noise.gaussian);
}

TEST_F(MomentsTest, CostWhatWasAskedForInEqualShares) {
  two_columns();
  const auto plan = plan_moments(rows(), {.epsilon = Rational(3)}, schema_, *embedded_);
  ASSERT_TRUE(plan);
  EXPECT_EQ(pure_epsilon(plan->whole.cost), Rational(3));
  for (const sql::Measure& measure : plan->whole.aggregations.front().measures) {
    EXPECT_EQ(pure_epsilon(measure.noise->cost()), *Rational::ratio(1, 2));
    EXPECT_EQ(Rational(std::max(-measure.lower, measure.upper)) * measure.step, Rational(1));
  }
}

TEST_F(MomentsTest, NoUnitMovesASumFurtherThanThePlanClaims) {
  create(
      "SELECT * FROM (VALUES (1, 9.0::DOUBLE, -20.0::DOUBLE), (1, -10.0, 20.0), (2, 100.0, 100.0), "
      "(2, 1e308, -1e308), (3, NULL, 1.0), (4, 'inf', 'nan'), (5, 10.0, 20.0), (5, 10.0, 20.0), "
      "(5, 10.0, 20.0)) AS v(person, x, y)",
      {{"person", kIntegerType}, real("x", -10, 10), real("y", -20, 20)},
      {.kind = Unit::Kind::kColumns, .columns = {"person"}});
  const auto plan = plan_moments(rows(), {.bounds = {.rows_per_group = 2}}, schema_, *embedded_);
  ASSERT_TRUE(plan) << plan.error().message();
  const sql::QueryPlan& whole = plan->whole;
  sql::testing::Movement movement(whole.aggregations.front(), Neighbours::kAddRemove);
  const auto groups = [&] {
    return *sql::exact_groups(whole.query.aggregations.front(), whole.aggregations.front(),
                              *engine_, "secret");
  };
  const auto all = groups();
  for (int person = 1; person <= 5; ++person) {
    ASSERT_TRUE(engine_->execute("BEGIN"));
    ASSERT_TRUE(engine_->execute("DELETE FROM people WHERE person = " + std::to_string(person)));
    EXPECT_EQ(movement.compare(all, groups()), "") << person;
    ASSERT_TRUE(engine_->execute("ROLLBACK"));
  }
  // The bound is met: it is not too wide to have caught a wrong one.
  for (std::size_t j = 0; j < whole.aggregations.front().measures.size(); ++j) {
    EXPECT_TRUE(movement.reached()[j]) << j;
  }
}

TEST_F(MomentsTest, RefuseTooManyColumns) {
  two_columns();
  Rows many{.from = "people"};
  for (int i = 0; i < 50; ++i) many.columns.push_back("x + " + std::to_string(i));
  const auto refused = plan_moments(many, {}, schema_, *embedded_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("at most 40"));
}

}  // namespace
}  // namespace tacit::learn
