// Logistic regression on rows of a Spark server: of two classes and of more, from memory and a
// block after another.

#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

#include "tacit/learn/logistic_regression.h"
#include "tacit/learn/testing/learn_test.h"

namespace tacit::learn {
namespace {

class SparkLogistic : public LearnTest {
 protected:
  SparkLogistic() { budget_ = Budget::approximate(Rational(500), *Rational::parse("1e-2")); }

  // 12,000 rows of 4,000 people: x between -10 and 10, and rows in which it is none. A view of the
  // session goes with it.
  void SetUp() override {
    const char* const uri = std::getenv("TACIT_TEST_SPARK");
    if (uri == nullptr) {
      GTEST_SKIP() << "no server: run under scripts/with-spark (sets TACIT_TEST_SPARK)";
    }
    engine_ = Engine::spark(uri);
    ASSERT_TRUE(engine_) << engine_.error().message();
    open_account(budget_);
    const auto made = engine_->execute(
        "CREATE TEMPORARY VIEW people AS SELECT CASE WHEN id % 1000 = 1 THEN double('NaN') WHEN id "
        "% 1000 = 2 THEN NULL ELSE ((id * 7919) % 2001 - 1000) / double(100) END AS x, CASE WHEN "
        "id % 2 = 0 THEN 'red' ELSE 'blue' END AS colour, id DIV 3 AS person FROM range(12000)");
    ASSERT_TRUE(made) << made.error().message() << engine_->steward_detail();
    schema_.tables.push_back(
        {.name = "people",
         .source = "people",
         .unit = {.kind = Unit::Kind::kColumns, .columns = {"person"}},
         .columns = {real("x", -10, 10),
                     {.name = "colour",
                      .type = kTextType,
                      .values = {Cell(std::string("red")), Cell(std::string("blue"))}},
                     {"person", kIntegerType}}});
  }

  Result<LogisticMade> made(std::string label, std::uint64_t most_bytes) {
    Allowance allowance{.epsilon = Rational(20), .delta = *Rational::parse("1e-5")};
    allowance.bounds.rows_per_group = 3;
    TACIT_ASSIGN_OR_RETURN(const LogisticPlan plan,
                           plan_logistic({.rows = {.from = "people", .columns = {"x"}},
                                          .categories = {"colour"},
                                          .label = std::move(label),
                                          .steps = 10},
                                         allowance, schema_, *embedded_));
    return make_logistic(plan, asker(), place(), most_bytes);
  }
};

TEST_F(SparkLogistic, IsMadeOfBoundedRows) {
  const auto model = made("x > 0", LogisticPasses::kUsualBytes);
  ASSERT_TRUE(model) << model.error().message() << engine_->steward_detail();
  EXPECT_GT(model->model.scores[0].slopes[0].value, 0.05);
  EXPECT_NEAR(model->model.rows, 11'976, 100);  // a deviation is about 5
}

TEST_F(SparkLogistic, TellsOneOfManyClassesFromRowsThatAreReadAgain) {
  const auto model = made("CASE WHEN x < -3 THEN 'low' WHEN x < 3 THEN 'mid' ELSE 'top' END", 0);
  ASSERT_TRUE(model) << model.error().message() << engine_->steward_detail();
  const std::vector<LogisticScore>& scores = model->model.scores;
  ASSERT_EQ(scores.size(), 3U);
  EXPECT_LT(scores[0].slopes[0].value, -0.05);
  EXPECT_GT(scores[2].slopes[0].value, 0.05);
  EXPECT_NEAR(model->model.rows, 11'976, 100);
}

}  // namespace
}  // namespace tacit::learn
