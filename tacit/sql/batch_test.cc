#include "tacit/sql/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/privacy/pure.h"
#include "tacit/sql/query.h"
#include "tacit/sql/testing/clinic.h"

namespace tacit::sql {
namespace {

using ::testing::HasSubstr;

// The clinic, with the same rows once more in a table of which each row is a unit.
class BatchTest : public ClinicTest {
 protected:
  void SetUp() override {
    ClinicTest::SetUp();
    ASSERT_TRUE(engine_->execute("CREATE TABLE tickets AS SELECT hour, minutes FROM visits"));
    TableSchema tickets = schema_.tables.front();
    tickets.name = tickets.source = "tickets";
    tickets.unit = {.kind = Unit::Kind::kRow};
    tickets.columns.erase(tickets.columns.begin());
    schema_.tables.push_back(std::move(tickets));
  }

  static PlanOptions options(const char* epsilon) {
    PlanOptions out{.epsilon = *Rational::parse(epsilon)};
    out.bounds = {.groups = 4, .rows_per_group = 3};
    return out;
  }
  Result<BatchPlan> try_batch(const std::string& text, const PlanOptions& options) {
    TACIT_ASSIGN_OR_RETURN(BoundBatch bound, bind_batch(text, schema_, *embedded_));
    return plan_batch(std::move(bound), schema_, options, *embedded_);
  }
  BatchPlan batch(const std::string& text, const char* epsilon = "0.5") {
    auto made = try_batch(text, options(epsilon));
    EXPECT_TRUE(made) << made.error().message();
    return *std::move(made);
  }
  Result<BatchAsked> ask_all(const BatchPlan& plan, bool fresh = false) {
    return ask_batch(plan, {.account = {.dataset = "clinic"}, .who = "ana", .fresh = fresh},
                     *ledger_, *engine_, *embedded_);
  }

  // Half-widths relative to what one unit adds, of all columns.
  static double error(const QueryPlan& plan) {
    double out = 0;
    for (const AggregationPlan& one : plan.aggregations) {
      for (const AnswerPlan& answer : one.answers) {
        for (const std::size_t index : measures_of(answer)) {
          const Measure& measure = one.measures[index];
          const auto steps = static_cast<double>(*measure.noise->half_width(0.95));
          const auto most = static_cast<double>(std::max(-measure.lower, measure.upper));
          out += steps * measure.grid.step().approximate() / most;
        }
      }
    }
    return out;
  }
  static double error(const BatchPlan& plan) {
    double out = 0;
    for (const QueryPlan& statement : plan.statements) out += error(statement);
    return out;
  }
};

TEST_F(BatchTest, OfOneIsTheQueryItself) {
  const std::string text = "SELECT hour, count(*), avg(minutes) FROM visits GROUP BY hour";
  const BatchPlan one = batch(text);
  const QueryPlan alone = plan(text);
  EXPECT_EQ(one.whole.cost, alone.cost);
  ASSERT_EQ(one.statements.size(), 1U);
  EXPECT_EQ(one.statements[0].cost, alone.cost);
  EXPECT_EQ(one.statements[0].options.epsilon, *Rational::parse("0.5"));
}

TEST_F(BatchTest, DividesTheBudgetForTheLeastError) {
  const std::string one = "SELECT count(*) FROM visits WHERE minutes > 10";
  const std::string many =
      "SELECT hour, count(*), sum(minutes), count(DISTINCT minutes), count(minutes) FILTER (WHERE "
      "minutes > 20), sum(minutes) FILTER (WHERE minutes > 20) FROM visits GROUP BY hour";
  const BatchPlan both = batch(one + ";" + many, "1");
  // Errors of 1 and of 5 columns in 4 groups, as shares of epsilon: (1 + 5 * 2)^2 = 121 against
  // 2 * (1 + 5 * 5 * 4) = 202 for halves.
  const double halves = error(plan(one, "0.5")) + error(plan(many, "0.5"));
  EXPECT_NEAR(error(both) / halves, 121.0 / 202, 0.02);
  EXPECT_EQ(*pure_epsilon(both.whole.cost), Rational(1));
  EXPECT_EQ(both.statements[0].options.epsilon, *Rational::ratio(1, 11));
}

TEST_F(BatchTest, DividesTheBudgetByTheSharesNamed) {
  const std::string text =
      "SELECT count(*) FROM visits; SELECT hour, count(*), sum(minutes) FROM tickets GROUP BY hour;"
      "SELECT 1 AS one";
  PlanOptions wanted = options("1");
  wanted.shares = {{"2", Rational(3)}, {"1", Rational(1)}};
  const auto made = try_batch(text, wanted);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(*pure_epsilon(made->statements[0].cost), *Rational::parse("0.25"));
  EXPECT_EQ(*pure_epsilon(made->statements[1].cost), *Rational::parse("0.75"));
  EXPECT_EQ(made->whole.query.aggregations[0].aggregates[0].text, "count(*)");
  const auto refusal = [&](std::vector<ColumnShare> shares) {
    wanted.shares = std::move(shares);
    const auto refused = try_batch(text, wanted);
    return refused ? std::string() : refused.error().message();
  };
  EXPECT_THAT(refusal({{"1", Rational(1)}}), HasSubstr("statement 2 has no share"));
  EXPECT_THAT(refusal({{"1", Rational(1)}, {"2", Rational(1)}, {"4", Rational(1)}}),
              HasSubstr("no statement 4"));
  EXPECT_THAT(refusal({{"1", Rational(0)}, {"2", Rational(1)}}), HasSubstr("above 0"));
}

TEST_F(BatchTest, GivesPartsThatShareNoUnitAllOfEpsilon) {
  const std::string young = "SELECT count(*) FROM tickets WHERE hour < 2";
  const std::string old = "SELECT count(*), sum(minutes) FROM tickets WHERE hour >= 2";
  const BatchPlan both = batch(young + ";" + old);
  EXPECT_EQ(both.statements[0].cost, plan(young).cost);
  EXPECT_EQ(both.statements[1].cost, plan(old).cost);
  EXPECT_EQ(both.whole.cost, *Cost::parallel({plan(young).cost, plan(old).cost}));
  ASSERT_TRUE(ask_all(both));
  EXPECT_EQ(spent(), 0.5);
}

TEST_F(BatchTest, ComposesPartsThatMayShareAUnit) {
  // A person may have visits at any hour.
  const BatchPlan both = batch(
      "SELECT count(*) FROM visits WHERE hour < 2; SELECT count(*) FROM visits WHERE hour >= "
      "2");
  for (const QueryPlan& statement : both.statements) {
    EXPECT_EQ(*pure_epsilon(statement.cost), *Rational::parse("0.25"));
  }
  EXPECT_EQ(*pure_epsilon(both.whole.cost), *Rational::parse("0.5"));
  EXPECT_EQ(both.whole.composition.kind, Composition::Kind::kSequence);
  // But two people are two units.
  const BatchPlan people = batch(
      "SELECT count(*) FROM visits WHERE person < 50; SELECT count(*) FROM visits WHERE "
      "person >= 50");
  EXPECT_EQ(people.whole.composition.kind, Composition::Kind::kParallel);
}

TEST_F(BatchTest, TakesQuestionsBuiltByCalls) {
  const auto parts = query("tickets").partition(column("hour"), {0, 1, 2, 3}, schema_);
  ASSERT_TRUE(parts);
  std::vector<BatchStatement> statements;
  for (const Rows& part : *parts) {
    statements.push_back({.text = "a part", .query = *part.count().bound(schema_), .places = {}});
  }
  const auto made =
      plan_batch(together(std::move(statements)), schema_, options("0.5"), *embedded_);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->whole.composition.kind, Composition::Kind::kParallel);
  EXPECT_EQ(*pure_epsilon(made->whole.cost), *Rational::parse("0.5"));
  EXPECT_EQ(ask_all(*made)->answers.size(), 4U);
  EXPECT_EQ(spent(), 0.5);
}

TEST_F(BatchTest, PaysForTwoPartsUnderReplace) {
  schema_.neighbours = Neighbours::kReplace;
  std::string text;
  for (int hour = 0; hour < 4; ++hour) {
    text += "SELECT count(*) FROM tickets WHERE hour = " + std::to_string(hour) + ";";
  }
  const BatchPlan all = batch(text);
  for (const QueryPlan& statement : all.statements) {
    EXPECT_EQ(*pure_epsilon(statement.cost), *Rational::parse("0.25"));
  }
  EXPECT_EQ(*pure_epsilon(all.whole.cost), *Rational::parse("0.5"));
}

TEST_F(BatchTest, ReleasesOnceWhatSeveralAsk) {
  const BatchPlan both = batch(
      "SELECT hour, count(*) AS n FROM visits GROUP BY hour ORDER BY hour;"
      "SELECT count(*) AS n, hour, sum(minutes) FROM visits GROUP BY hour ORDER BY hour");
  ASSERT_EQ(both.whole.aggregations.size(), 1U);
  EXPECT_EQ(both.whole.aggregations[0].measures.size(), 2U);
  const auto asked = ask_all(both);
  ASSERT_TRUE(asked) << asked.error().message();
  ASSERT_EQ(asked->answers.size(), 2U);
  EXPECT_EQ(asked->answers[0].answer.columns[1].values, asked->answers[1].answer.columns[0].values);
  EXPECT_EQ(asked->answers[0].answer.columns[0].values, asked->answers[1].answer.columns[1].values);
  EXPECT_EQ(spent(), 0.5);
  // The count is the more accurate for being asked twice.
  EXPECT_GT(*pure_epsilon(both.statements[0].cost), *Rational::parse("0.25"));
}

TEST_F(BatchTest, TheSameStatementTwiceIsOneRelease) {
  const auto asked = ask_all(batch("SELECT count(*) FROM visits; SELECT count(*) FROM visits;"));
  ASSERT_TRUE(asked && asked->answers.size() == 2);
  EXPECT_EQ(asked->answers[0].release, asked->answers[1].release);
  EXPECT_FALSE(asked->answers[1].not_recorded);
  EXPECT_EQ(spent(), 0.5);
}

TEST_F(BatchTest, IsFreeWhereItIsOnRecord) {
  const std::string text = "SELECT count(*) FROM visits; SELECT sum(minutes) FROM tickets";
  const BatchPlan both = batch(text);
  const auto first = ask_all(both);
  ASSERT_TRUE(first && !first->failed);
  const auto again = ask_all(both);
  ASSERT_TRUE(again && again->answers.size() == 2);
  EXPECT_FALSE(again->paid);
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(again->answers[i].on_record);
    EXPECT_EQ(again->answers[i].release, first->answers[i].release);
  }
  EXPECT_EQ(spent(), 0.5);
  // And so is one of them alone, for the epsilon that it had.
  const auto alone =
      sql::ask(plan("SELECT count(*) FROM visits", "0.25"),
               {.account = {.dataset = "clinic"}, .who = "bob"}, *ledger_, *engine_, *embedded_);
  ASSERT_TRUE(alone);
  EXPECT_TRUE(alone->on_record);
  ASSERT_TRUE(ask_all(both, true));
  EXPECT_EQ(spent(), 1);
}

TEST_F(BatchTest, PaysOnlyForWhatIsNotOnRecord) {
  ASSERT_TRUE(sql::ask(plan("SELECT count(*) FROM visits", "0.25"),
                       {.account = {.dataset = "clinic"}, .who = "bob"}, *ledger_, *engine_,
                       *embedded_));
  const auto asked =
      ask_all(batch("SELECT count(*) FROM visits; SELECT sum(minutes) FROM tickets"));
  ASSERT_TRUE(asked && asked->answers.size() == 2);
  EXPECT_TRUE(asked->answers[0].on_record);
  EXPECT_FALSE(asked->answers[1].on_record);
  EXPECT_EQ(*pure_epsilon(*asked->paid), *Rational::parse("0.25"));
  EXPECT_EQ(spent(), 0.5);
}

TEST_F(BatchTest, RefusesByNumberAndPlaceBeforeAnythingIsCharged) {
  const std::uint64_t before = entries();
  const auto refusal = [&](const std::string& text) {
    const auto made = try_batch(text, options("0.5"));
    EXPECT_FALSE(made) << text;
    return made ? std::string() : made.error().message();
  };
  EXPECT_THAT(refusal("SELECT count(*) FROM visits;\n  SELECT person FROM visits"),
              HasSubstr("statement 2, line 2, column 10, at `person FROM visits`"));
  EXPECT_THAT(refusal("SELECT count(*) FROM visits;\nSELECT FROM WHERE;"),
              HasSubstr("statement 2, line 2"));
  EXPECT_THAT(refusal("-- nothing\n;"), HasSubstr("no statement"));
  EXPECT_THAT(refusal("SELECT 1; DROP TABLE visits"), HasSubstr("statement 2"));
  EXPECT_THAT(refusal("SELECT count(*) FROM visits; SELECT sum(person) FROM visits"),
              HasSubstr("statement 2, line 1, column 37"));
  EXPECT_THAT(refusal("SELECT count(*) FROM visits; SELECT minutes, count(*) FROM visits WHERE "
                      "minutes < 9 GROUP BY minutes + person"),
              HasSubstr("statement 2"));
  EXPECT_EQ(entries(), before);
}

TEST_F(BatchTest, FitsOrNothingIsCharged) {
  const std::uint64_t before = entries();
  const auto refused =
      ask_all(batch("SELECT count(*) FROM visits; SELECT sum(minutes) FROM tickets", "3"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kBudget);
  EXPECT_EQ(entries(), before);
  EXPECT_EQ(spent(), 0);
}

TEST_F(BatchTest, ShowsWhatWasAnsweredBeforeAFailure) {
  const BatchPlan all =
      batch("SELECT count(*) FROM visits; SELECT count(*) FROM tickets; SELECT 1 AS one");
  ASSERT_TRUE(engine_->execute("DROP TABLE tickets"));
  const auto asked = ask_all(all);
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->answers.size(), 1U);
  ASSERT_TRUE(asked->failed);
  EXPECT_THAT(asked->failed->message(), HasSubstr("statement 2"));
  EXPECT_THAT(asked->failed->remedy, HasSubstr("stays charged"));
  EXPECT_EQ(spent(), 0.5);
  // What was answered is on record.
  EXPECT_TRUE(ask_all(all)->answers[0].on_record);
}

TEST_F(BatchTest, MayHoldQuestionsOfPublicNumbersAlone) {
  const std::uint64_t before = entries();
  const auto asked = ask_all(batch("SELECT 1 AS one; SELECT 2 AS two"));
  ASSERT_TRUE(asked && asked->answers.size() == 2);
  EXPECT_TRUE(asked->entry.empty());
  EXPECT_EQ(entries(), before);
}

TEST_F(BatchTest, ChoosesGaussianNoiseForManyStatements) {
  PlanOptions wanted = options("1");
  wanted.delta = *Rational::parse("1e-6");
  std::string text;
  for (int i = 0; i < 40; ++i) {
    text += "SELECT count(*) FROM visits WHERE minutes > " + std::to_string(i) + ";";
  }
  const auto many = try_batch(text, wanted);
  ASSERT_TRUE(many) << many.error().message();
  EXPECT_TRUE(many->whole.gaussian);
  Rational all;
  for (const AggregationPlan& one : many->whole.aggregations) {
    for (const Measure& measure : one.measures) all = all + measure.target_share;
  }
  EXPECT_EQ(all, Rational(1));
}

}  // namespace
}  // namespace tacit::sql
