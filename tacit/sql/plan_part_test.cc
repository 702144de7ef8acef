#include <gtest/gtest.h>

#include "tacit/sql/plan_part_internal.h"
#include "tacit/sql/testing/clinic.h"

namespace tacit::sql {
namespace {

using PlanPartTest = ClinicTest;

TEST_F(PlanPartTest, KeepsWhatItsAggregatesStandOn) {
  const QueryPlan whole = plan(
      "SELECT sum(minutes), count(*), avg(minutes), median(minutes), stddev(minutes), "
      "quantile_cont(hour, 0.9) FROM visits");
  const AggregationPlan& all = whole.aggregations.front();
  const AggregationPlan part = part_of(all, {4, 1, 5});
  ASSERT_EQ(part.answers.size(), 3U);
  ASSERT_EQ(part.measures.size(), 4U);
  const AnswerPlan& deviation = part.answers[0];
  EXPECT_EQ(part.measures[deviation.count].kind, Measure::Kind::kCount);
  EXPECT_NE(part.measures[deviation.count].argument, nullptr);
  EXPECT_EQ(part.measures[deviation.sum].kind, Measure::Kind::kOffsets);
  EXPECT_EQ(part.measures[deviation.squares].kind, Measure::Kind::kSquaredOffsets);
  EXPECT_EQ(part.measures[part.answers[1].count].argument, nullptr);
  ASSERT_EQ(part.quantiles.size(), 1U);
  EXPECT_EQ(part.quantiles[part.answers[2].quantile].argument,
            all.quantiles[all.answers[5].quantile].argument);
  // The noise is as it was.
  EXPECT_EQ(part.measures[deviation.sum].noise->cost(),
            all.measures[all.answers[4].sum].noise->cost());
}

TEST_F(PlanPartTest, OfEverythingIsTheWhole) {
  const QueryPlan whole = plan("SELECT hour, avg(minutes), count(*) FROM visits GROUP BY hour");
  EXPECT_EQ(*cost_of(part_of(whole.aggregations.front(), {0, 1})), whole.cost);
}

TEST(PlanPart, OfATableAreItsKeysAndSomeColumns) {
  const Table table{
      .fields = {{"key_0", kTextType},
                 {"value_0", kIntegerType},
                 {"half_width_0", kRealType},
                 {"value_1", kRealType},
                 {"half_width_1", kRealType}},
      .columns = {
          {Cell(std::string("a"))}, {Cell(int128{7})}, {Cell(1.0)}, {Cell(2.5)}, {Cell(0.5)}}};
  const Table part = part_of(table, 1, {1});
  ASSERT_EQ(part.fields.size(), 3U);
  EXPECT_EQ(part.fields[1], (Field{"value_0", kRealType}));
  EXPECT_EQ(part.fields[2].name, "half_width_0");
  EXPECT_EQ(part.columns[0][0], Cell(std::string("a")));
  EXPECT_EQ(part.columns[1][0], Cell(2.5));
  EXPECT_EQ(part_of(table, 1, {0, 1}), table);
}

}  // namespace
}  // namespace tacit::sql
