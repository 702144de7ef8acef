#include "tacit/sql/plan_weights_internal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/sql/plan_facts.h"
#include "tacit/sql/testing/clinic.h"

namespace tacit::sql {
namespace {

using ::testing::HasSubstr;

class PlanWeightsTest : public ClinicTest {
 protected:
  Result<QueryPlan> shared(const std::string& text, std::vector<ColumnShare> shares) {
    PlanOptions options{.epsilon = Rational(1), .delta = *Rational::parse("1e-6")};
    options.bounds = {.groups = 4, .rows_per_group = 3};
    options.shares = std::move(shares);
    return prepare(text, schema_, options, *embedded_);
  }
  static Rational epsilon_of(const Measure& measure) {
    return std::get<PureTarget>(measure.target).epsilon;
  }
};

TEST_F(PlanWeightsTest, DivideEpsilonByTheSharesNamed) {
  const auto made = shared("SELECT count(*) AS n, sum(minutes) FROM visits",
                           {{"n", Rational(3)}, {"sum(minutes)", Rational(1)}});
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_FALSE(made->gaussian);
  const auto& measures = made->aggregations[0].measures;
  EXPECT_EQ(epsilon_of(measures[0]), *Rational::parse("0.75"));
  EXPECT_EQ(epsilon_of(measures[1]), *Rational::parse("0.25"));
}

TEST_F(PlanWeightsTest, DivideAColumnsShareOverWhatItIsMadeOf) {
  const auto made = shared("SELECT avg(minutes) AS a, count(minutes) AS n FROM visits",
                           {{"a", Rational(1)}, {"n", Rational(1)}});
  ASSERT_TRUE(made) << made.error().message();
  // The count stands in both columns, and is noised once.
  const auto& plan = made->aggregations[0];
  ASSERT_EQ(plan.measures.size(), 2U);
  EXPECT_EQ(epsilon_of(plan.measures[plan.answers[1].count]), *Rational::parse("0.75"));
  EXPECT_EQ(epsilon_of(plan.measures[plan.answers[0].sum]), *Rational::parse("0.25"));
}

TEST_F(PlanWeightsTest, NeedAShareForEveryAggregateAndNothingElse) {
  const std::string text = "SELECT count(*) AS n, sum(minutes) AS total FROM visits";
  const auto missing = shared(text, {{"n", Rational(1)}});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().what, HasSubstr("total has no share"));
  const auto unknown =
      shared(text, {{"n", Rational(1)}, {"total", Rational(1)}, {"x", Rational(1)}});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().what, HasSubstr("called x"));
  EXPECT_FALSE(shared(text, {{"n", Rational(0)}, {"total", Rational(1)}}));
}

}  // namespace
}  // namespace tacit::sql
