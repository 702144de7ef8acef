#include "tacit/sql/learned.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/privacy/testing/permit_for_tests.h"
#include "tacit/sql/ask.h"
#include "tacit/sql/plan_facts.h"
#include "tacit/sql/release.h"

namespace tacit::sql {
namespace {

using ::testing::HasSubstr;

constexpr Learn kEverything{.rows = true, .groups = true, .ranges = true};
// At this epsilon a draw is the exact quantile, and bins of a few units are seen, but with
// probability far below 1e-9.
const Rational kPlenty(1000);

Schema stays(Neighbours neighbours = Neighbours::kAddRemove) {
  Schema out{.dataset = "clinic", .neighbours = neighbours};
  TableSchema table{.name = "stays", .source = "stays"};
  table.unit = {.kind = Unit::Kind::kColumns, .columns = {"person"}};
  table.columns = {{.name = "person", .type = kIntegerType},
                   {.name = "ward", .type = kIntegerType},
                   {.name = "days", .type = kIntegerType, .lower = 0, .upper = 30},
                   {.name = "income", .type = kIntegerType},
                   {.name = "price", .type = Type{TypeKind::kDecimal, 12, 2}},
                   {.name = "weight", .type = kRealType}};
  TableSchema rows{.name = "marks", .source = "marks"};
  rows.unit = {.kind = Unit::Kind::kRow};
  rows.columns = {{.name = "mark", .type = kRealType}};
  out.tables = {table, rows};
  return out;
}

class Learned : public ::testing::Test {
 protected:
  // 1000 people with 1 to 7 stays each in 1 to 3 wards, and one with ten thousand in hundreds.
  Learned() {
    EXPECT_TRUE(engine_.execute(
        "CREATE TABLE stays AS SELECT CAST(p AS BIGINT) AS person, CAST(CASE WHEN p = 999 THEN s % "
        "500 ELSE s % 3 END AS BIGINT) AS ward, CAST(s % 30 AS BIGINT) AS days, "
        "CAST(20 + p % 80 AS BIGINT) AS income, CAST(-1.5 - p % 2 AS DECIMAL(12,2)) AS price, "
        "0.3 + p % 2 AS weight FROM range(1000) AS a(p), range(10000) AS b(s) "
        "WHERE s < 1 + p % 7 OR p = 999"));
    EXPECT_TRUE(engine_.execute("CREATE TABLE marks (mark DOUBLE)"));
  }

  QueryPlan planned(const std::string& sql, PlanOptions options) {
    auto plan = prepare(sql, schema_, options, embedded_);
    EXPECT_TRUE(plan) << plan.error().message();
    return *std::move(plan);
  }

  LearnedBounds learned(const QueryPlan& plan) {
    Permit permit = PermitForTests::mint(plan.cost);
    auto bounds = learn(plan.query.aggregations[0], plan.aggregations[0], engine_, permit, stream_);
    EXPECT_TRUE(bounds) << engine_.steward_detail();
    return *std::move(bounds);
  }

  Answer answered(const QueryPlan& plan) {
    const auto released = release(plan, engine_, PermitForTests::mint(plan.cost), stream_);
    EXPECT_TRUE(released) << released.error().message() << engine_.steward_detail();
    auto answer = finish(plan, released->tables, engine_, embedded_);
    EXPECT_TRUE(answer) << answer.error().message();
    return *std::move(answer);
  }

  Schema schema_ = stays();
  Engine engine_ = *Engine::duckdb_in_memory(Engine::Files::kRefused);
  Engine embedded_ = *Engine::duckdb_in_memory(Engine::Files::kRefused);
  SecureStream stream_ = *SecureStream::create();
};

ValueRange range(const char* lower, const char* upper) {
  return {.lower = *Rational::parse(lower), .upper = *Rational::parse(upper)};
}

TEST_F(Learned, AreRefusedUnlessAskedFor) {
  const auto refusal = [&](const char* sql, const Learn& learn) {
    const auto plan = prepare(sql, schema_, {.epsilon = 1, .learn = learn}, embedded_);
    return plan ? std::string() : plan.error().message();
  };
  EXPECT_THAT(refusal("SELECT count(*) FROM stays", {}), HasSubstr("--learn rows"));
  EXPECT_THAT(refusal("SELECT sum(income) FROM stays", {.rows = true}),
              HasSubstr("--learn ranges"));
  EXPECT_THAT(refusal("SELECT ward, count(*) FROM stays GROUP BY ward", {.rows = true}),
              HasSubstr("--learn groups"));
  EXPECT_EQ(refusal("SELECT count(*), sum(income) FROM stays", kEverything), "");
}

TEST_F(Learned, FitMostPeopleAndNotTheOneWithThousands) {
  const LearnedBounds bounds = learned(
      planned("SELECT ward, sum(income), sum(price), avg(weight) FROM stays GROUP BY ward",
              {.epsilon = kPlenty, .delta = *Rational::parse("1e-6"), .learn = kEverything}));
  EXPECT_EQ(bounds.rows, 3U);
  EXPECT_EQ(bounds.groups, 3U);
  ASSERT_EQ(bounds.ranges.size(), 3U);
  EXPECT_EQ(bounds.ranges[0], range("16", "128"));
  // In steps of a hundredth: 150 and 250 have eight digits.
  EXPECT_EQ(bounds.ranges[1], range("-2.56", "-1.28"));
  EXPECT_EQ(bounds.ranges[2], range("1/4", "2"));
}

TEST_F(Learned, StayWithinWhatIsGiven) {
  const PlanOptions options{.epsilon = kPlenty,
                            .delta = *Rational::parse("1e-6"),
                            .bounds = {.groups = 2, .rows_per_group = 2},
                            .learn = kEverything};
  const QueryPlan plan = planned("SELECT ward, count(*) FROM stays GROUP BY ward", options);
  EXPECT_EQ(plan.aggregations[0].learners.rows->most, 2U);
  EXPECT_EQ(plan.aggregations[0].learners.groups->most, 2U);
  EXPECT_EQ(learned(plan), (LearnedBounds{.rows = 2, .groups = 2}));
}

TEST_F(Learned, AreNotLearntWhereNothingNeedsThem) {
  const auto learners = [&](const char* sql) {
    return planned(sql, {.epsilon = 1, .learn = kEverything}).aggregations[0].learners.size();
  };
  EXPECT_EQ(learners("SELECT count(DISTINCT person) FROM stays"), 0U);
  EXPECT_EQ(learners("SELECT count(*) FROM stays"), 1U);
  EXPECT_EQ(learners("SELECT sum(days) FROM stays"), 1U);
  EXPECT_EQ(learners("SELECT count(*) FROM marks"), 0U);
  EXPECT_EQ(learners("SELECT sum(mark), avg(mark), median(mark) FROM marks"), 1U);
  EXPECT_EQ(learners("SELECT sum(mark), sum(mark) FILTER (WHERE mark > 0) FROM marks"), 2U);
  EXPECT_EQ(learners("SELECT avg(n) FROM (SELECT person, count(*) AS n FROM stays GROUP BY 1)"),
            1U);
}

// What is reserved is what is taken, for every bound that can be learnt (proof.md, claim 11).
class LearnedCost : public Learned,
                    public ::testing::WithParamInterface<std::tuple<Neighbours, bool, bool>> {};

TEST_P(LearnedCost, IsTheSameWhateverIsLearnt) {
  const auto [neighbours, keys, gaussian] = GetParam();
  schema_ = stays(neighbours);
  const std::string sql =
      "SELECT count(*), sum(income), avg(price), stddev(weight), median(income)";
  const QueryPlan plan =
      planned(keys ? sql + ", ward FROM stays GROUP BY ward" : sql + " FROM stays",
              {.epsilon = 1,
               .delta = *Rational::parse(gaussian ? "1e-6" : "1e-30"),
               .bounds = {.groups = gaussian ? 4096U : 2U},
               .learn = kEverything});
  if (keys || !gaussian) {
    EXPECT_EQ(plan.gaussian, gaussian);
  }
  const AggregationPlan& one = plan.aggregations[0];
  for (const std::uint64_t count : {1U, 2U, 7U, 100U, 4096U}) {
    for (const auto& values : {range("0", "1"), range("-1024", "1"), range("512", "1024")}) {
      LearnedBounds bounds{.rows = count, .groups = std::nullopt};
      if (keys) bounds.groups = count;
      bounds.ranges.resize(one.learners.ranges.size(), values);
      const auto settled = settle(plan.query.aggregations[0], one, bounds, neighbours, 0.95);
      ASSERT_TRUE(settled) << settled.error().message();
      ASSERT_EQ(settled->measures.size(), one.measures.size());
      for (std::size_t j = 0; j < one.measures.size(); ++j) {
        EXPECT_EQ(one.measures[j].noise->cost(), settled->measures[j].noise->cost());
      }
      EXPECT_EQ(one.quantiles[0].mechanism->cost(), settled->quantiles[0].mechanism->cost());
      if (keys) {
        EXPECT_EQ(one.selection->cost(), settled->selection->cost());
      }
      EXPECT_EQ(settled->measures[0].upper, static_cast<std::int64_t>(count));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Relations, LearnedCost,
                         ::testing::Combine(::testing::Values(Neighbours::kAddRemove,
                                                              Neighbours::kReplace),
                                            ::testing::Bool(), ::testing::Bool()));

TEST_F(Learned, GiveNoiseInProportionToTheBounds) {
  const QueryPlan plan =
      planned("SELECT count(*) FROM stays", {.epsilon = 1, .learn = {.rows = true}});
  const auto width = [&](std::uint64_t rows) {
    const auto settled = settle(plan, {{.rows = rows}});
    return static_cast<double>(*settled->aggregations[0].measures[0].noise->half_width(0.95));
  };
  EXPECT_NEAR(width(100) / width(10), 10, 0.5);
}

// Many answers, or many groups of a unit, are where Gaussian noise is the smaller.
TEST_F(Learned, TakeTheNoiseThatIsLikelyTheSmaller) {
  const auto planned_with = [&](const char* sql, const char* delta) {
    return planned(sql, {.epsilon = 1, .delta = *Rational::parse(delta), .learn = kEverything});
  };
  EXPECT_FALSE(planned_with("SELECT count(*) FROM stays", "1e-6").gaussian);
  const char* many = "SELECT ward, count(*), sum(income) FROM stays GROUP BY ward";
  const QueryPlan plan = planned_with(many, "1e-6");
  EXPECT_TRUE(plan.gaussian);
  const auto width = [&](std::uint64_t groups) {
    LearnedBounds bounds{.rows = 1, .groups = groups};
    bounds.ranges.resize(plan.aggregations[0].learners.ranges.size(), range("0", "1"));
    const auto settled = settle(plan, {bounds});
    const Measure& count = settled->aggregations[0].measures[0];
    return count.grid.step().approximate() * static_cast<double>(*count.noise->half_width(0.95));
  };
  EXPECT_NEAR(width(100) / width(4), 5, 0.05);  // as the root of the number of groups
}

TEST_F(Learned, AnswerWholeQueries) {
  const Answer answer = answered(planned("SELECT count(*), sum(income), avg(price) FROM stays",
                                         {.epsilon = kPlenty, .learn = kEverything}));
  // 4 stays each, but for the one with thousands, who counts as 7.
  const auto number = [&](std::size_t column) {
    const Cell& cell = answer.columns[column].values[0];
    const auto* whole = std::get_if<int128>(&cell);
    return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(cell);
  };
  EXPECT_NEAR(number(0), 4000, 20);
  EXPECT_NEAR(number(1), 4000 * 59.5, 3000);
  EXPECT_NEAR(number(2), -2, 0.05);
}

TEST_F(Learned, SayWhereTooFewUnitsHaveValues) {
  const auto plan = planned("SELECT count(*) AS n, sum(mark) AS s, sum(mark) + 1 AS t FROM marks",
                            {.epsilon = 1, .learn = {.ranges = true}});
  for (const char* rows : {"", "INSERT INTO marks VALUES (1e300), (NULL)"}) {
    if (*rows != '\0') {
      ASSERT_TRUE(engine_.execute(rows));
    }
    const auto released = release(plan, engine_, PermitForTests::mint(plan.cost), stream_);
    ASSERT_TRUE(released) << released.error().message();
    ASSERT_EQ(released->learned[0].ranges, std::vector<std::optional<ValueRange>>{std::nullopt});
    const auto answer = finish(plan, released->tables, engine_, embedded_);
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_FALSE(is_null(answer->columns[0].values[0]));
    EXPECT_TRUE(is_null(answer->columns[1].values[0]));
    EXPECT_TRUE(is_null(answer->columns[1].half_widths[0]));
    EXPECT_TRUE(is_null(answer->columns[2].values[0]));
    const auto facts = facts_of(*settle(plan, released->learned), duckdb_dialect());
    ASSERT_TRUE(facts);
    EXPECT_TRUE(facts->releases[0].learned[0].settled);
    EXPECT_FALSE(facts->releases[0].learned[0].found);
  }
}

TEST_F(Learned, LookAtFiniteValuesAlone) {
  ASSERT_TRUE(engine_.execute("INSERT INTO marks SELECT 5 FROM range(300)"));
  ASSERT_TRUE(engine_.execute("INSERT INTO marks SELECT 'NaN'::DOUBLE FROM range(300)"));
  ASSERT_TRUE(engine_.execute("INSERT INTO marks SELECT 'inf'::DOUBLE FROM range(300)"));
  ASSERT_TRUE(engine_.execute("INSERT INTO marks SELECT '-inf'::DOUBLE FROM range(300)"));
  ASSERT_TRUE(engine_.execute("INSERT INTO marks SELECT NULL FROM range(300)"));
  const auto plan = planned("SELECT sum(mark), avg(mark), stddev(mark), median(mark) FROM marks",
                            {.epsilon = kPlenty, .learn = {.ranges = true}});
  EXPECT_EQ(learned(plan).ranges[0], range("4", "8"));
  answered(plan);
  // Values beyond the last edge count in the last bin.
  ASSERT_TRUE(engine_.execute("INSERT INTO marks SELECT 1e300 FROM range(300)"));
  EXPECT_EQ(learned(plan).ranges[0],
            (ValueRange{.lower = Rational(4), .upper = Rational::power_of_two(40)}));
}

TEST_F(Learned, KeepTheEndThatIsDeclared) {
  schema_.tables[1].columns[0].lower = Rational(0);
  ASSERT_TRUE(engine_.execute("INSERT INTO marks SELECT -5 FROM range(300)"));
  const auto plan =
      planned("SELECT avg(mark) FROM marks", {.epsilon = kPlenty, .learn = {.ranges = true}});
  const auto settled = settle(plan, {learned(plan)});
  ASSERT_TRUE(settled) << settled.error().message();
  const AnswerPlan& answer = settled->aggregations[0].answers[0];
  EXPECT_EQ(answer.lower, Rational(0));
  EXPECT_GT(answer.upper, answer.lower);
}

TEST_F(Learned, PlansSayForWhichBoundsTheyAre) {
  const auto facts = facts_of(
      planned("SELECT count(*), sum(income) FROM stays", {.epsilon = 1, .learn = kEverything}),
      duckdb_dialect());
  ASSERT_TRUE(facts) << facts.error().message();
  const ReleaseFacts& release = facts->releases[0];
  ASSERT_EQ(release.learned.size(), 2U);
  EXPECT_FALSE(release.learned[0].settled);
  EXPECT_FALSE(release.columns[0].half_width) << "it depends on what will be learnt";
  ASSERT_GE(release.examples.size(), 5U);
  EXPECT_EQ(release.examples[0].bounds, "1 row, values 0 to 1");
  EXPECT_GT(*release.examples[1].half_widths[0], 5 * *release.examples[0].half_widths[0]);
}

}  // namespace
}  // namespace tacit::sql
