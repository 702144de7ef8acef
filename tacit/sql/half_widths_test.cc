#include "tacit/sql/half_widths_internal.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tacit/sql/ask.h"
#include "tacit/sql/release.h"
#include "tacit/sql/testing/town_schema.h"

namespace tacit::sql {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

// Three groups with 30 ± 3, 40 ± 4 and 50 ± 12, in every release of the plan.
std::vector<Table> given_releases(const QueryPlan& plan) {
  Table table{
      .fields = {{"key_0", kTextType}, {"value_0", kIntegerType}, {"half_width_0", kRealType}},
      .columns = {{Cell("a"), Cell("b"), Cell("c")},
                  {Cell(int128{30}), Cell(int128{40}), Cell(int128{50})},
                  {Cell(3.0), Cell(4.0), Cell(12.0)}}};
  return std::vector(plan.aggregations.size(), table);
}

class HalfWidths : public ::testing::Test {
 protected:
  // `outer` over t(place, n), the counts of visits.
  Answer answer(const std::string& outer) {
    const auto plan = prepare(
        "WITH t AS (SELECT place, count(*) AS n FROM visits GROUP BY place) " + outer, schema_,
        {.epsilon = Rational(1), .bounds = {.groups = 3, .rows_per_group = 5}}, embedded_);
    EXPECT_TRUE(plan) << plan.error().message();
    auto out = finish(*plan, given_releases(*plan), embedded_, embedded_);
    EXPECT_TRUE(out) << out.error().message();
    return *std::move(out);
  }

  static std::vector<double> numbers(const std::vector<Cell>& cells) {
    std::vector<double> out;
    for (const Cell& cell : cells) {
      out.push_back(is_null(cell) ? std::nan("") : std::get<double>(cell));
    }
    return out;
  }

  const Schema schema_ = testing::town_schema();
  Engine embedded_ = Engine::duckdb_in_memory(Engine::Files::kRefused).value();
};

TEST_F(HalfWidths, StayWithTheirNumbers) {
  const Answer out =
      answer("SELECT b.n FROM t a JOIN t b ON a.place > b.place AND a.place = 'c' ORDER BY b.n");
  EXPECT_EQ(out.columns[0].values, (std::vector<Cell>{Cell(int128{30}), Cell(int128{40})}));
  EXPECT_THAT(numbers(out.columns[0].half_widths), ElementsAre(3, 4));
  EXPECT_EQ(out.columns[0].interval, IntervalKind::kExact);
}

TEST_F(HalfWidths, OfAnExpressionAreTheRootOfSquaredChanges) {
  const Answer out = answer(
      "SELECT a.n - b.n AS d FROM t a JOIN t b ON a.place = 'a' AND b.place = 'b' UNION ALL SELECT "
      "7");
  EXPECT_THAT(numbers(out.columns[0].half_widths),
              ElementsAre(DoubleNear(5, 1e-12), ::testing::IsNan()));
}

TEST_F(HalfWidths, OfATotalAndAnAverageAddUpAsSquares) {
  const Answer out = answer("SELECT sum(n), avg(n), sum(n) FILTER (WHERE place < 'c') FROM t");
  EXPECT_THAT(numbers(out.columns[0].half_widths), ElementsAre(DoubleNear(13, 1e-12)));
  EXPECT_THAT(numbers(out.columns[1].half_widths), ElementsAre(DoubleNear(13.0 / 3, 1e-12)));
  EXPECT_THAT(numbers(out.columns[2].half_widths), ElementsAre(DoubleNear(5, 1e-12)));
}

// All of n numbers hold together what each would hold at the n-th part of the doubt.
TEST_F(HalfWidths, OfTheGreatestHoldForEveryNumberAtOnce) {
  const Answer out = answer(
      "SELECT max(n), min(n) FILTER (WHERE place < 'c'), max(n) FILTER (WHERE place > 'c') FROM t");
  const auto wider = [](int numbers) { return 1 + std::log(numbers) / std::log(20); };
  EXPECT_THAT(numbers(out.columns[0].half_widths), ElementsAre(DoubleNear(12 * wider(3), 1e-12)));
  EXPECT_THAT(numbers(out.columns[1].half_widths), ElementsAre(DoubleNear(4 * wider(2), 1e-12)));
  EXPECT_THAT(numbers(out.columns[2].half_widths), ElementsAre(::testing::IsNan()));
  EXPECT_EQ(out.columns[0].interval, IntervalKind::kApproximate);
}

TEST_F(HalfWidths, OfTheGreatestInAWindowHoldForItsRows) {
  const Answer out = answer("SELECT max(n) OVER (ORDER BY place) FROM t ORDER BY place LIMIT 2");
  EXPECT_THAT(
      numbers(out.columns[0].half_widths),
      ElementsAre(DoubleNear(3, 1e-12), DoubleNear(4 * (1 + std::log(2) / std::log(20)), 1e-12)));
}

TEST_F(HalfWidths, StayWithRowsThatSetOperationsKeep) {
  for (const char* outer :
       {"SELECT place, n FROM t UNION SELECT place, n FROM t ORDER BY n",
        "SELECT place, n FROM t EXCEPT SELECT 'a', 31 ORDER BY 1",
        "SELECT place, n FROM t INTERSECT SELECT place, n FROM t ORDER BY place",
        "SELECT place, n FROM t INTERSECT ALL SELECT place, n FROM t ORDER BY 2",
        "(SELECT * FROM t UNION SELECT 'a', 30) EXCEPT ALL SELECT 'z', 1.5 ORDER BY n",
        "SELECT place, n FROM (SELECT * FROM t UNION SELECT * FROM t) ORDER BY n"}) {
    const Answer out = answer(outer);
    EXPECT_THAT(numbers(out.columns[1].half_widths), ElementsAre(3, 4, 12)) << outer;
    EXPECT_EQ(out.columns[1].interval, IntervalKind::kExact) << outer;
  }
}

TEST_F(HalfWidths, OfEqualNumbersAreTheWidest) {
  const Answer out = answer(
      "SELECT n FROM t WHERE place = 'a' UNION SELECT n - 10 FROM t WHERE place = 'b' UNION "
      "SELECT 5 ORDER BY 1");
  EXPECT_THAT(numbers(out.columns[0].half_widths), ElementsAre(::testing::IsNan(), 4));
}

TEST_F(HalfWidths, AreLookedUpByALongChainOfUnions) {
  std::string outer = "SELECT n FROM t";
  for (int i = 0; i < 30; ++i) outer += " UNION SELECT n FROM t";
  EXPECT_THAT(numbers(answer(outer + " ORDER BY n").columns[0].half_widths), ElementsAre(3, 4, 12));
}

TEST_F(HalfWidths, OfDistinctGroupsAreTheirOwn) {
  const Answer out = answer("SELECT DISTINCT max(n) AS most FROM t GROUP BY place ORDER BY most");
  EXPECT_THAT(numbers(out.columns[0].half_widths), ElementsAre(3, 4, 12));
}

TEST_F(HalfWidths, OfAMiddleNumberHoldForEveryNumberAtOnce) {
  const Answer out = answer(
      "SELECT median(n), quantile_cont(n, 0.25), percentile_cont(0.5) WITHIN GROUP (ORDER BY n) "
      "FROM t");
  const double all = 12 * (1 + std::log(3) / std::log(20));
  for (const AnswerColumn& column : out.columns) {
    EXPECT_THAT(numbers(column.half_widths), ElementsAre(DoubleNear(all, 1e-12)));
  }
}

TEST_F(HalfWidths, OfAChosenNumberAreItsOwn) {
  const Answer out = answer(
      "SELECT arg_max(n, place), first(n ORDER BY place), any_value(n) FILTER (WHERE place = 'b') "
      "FROM t");
  EXPECT_THAT(numbers(out.columns[0].half_widths), ElementsAre(12));
  EXPECT_THAT(numbers(out.columns[1].half_widths), ElementsAre(3));
  EXPECT_THAT(numbers(out.columns[2].half_widths), ElementsAre(4));
  EXPECT_EQ(out.columns[0].interval, IntervalKind::kExact);
}

// No noise within the half-widths moves a deviation by more.
TEST_F(HalfWidths, OfADeviationBoundWhatNoiseDoes) {
  const Answer out = answer("SELECT stddev_pop(n), stddev(n), var_pop(n), variance(n) FROM t");
  const double pop = 13 / std::sqrt(3);
  const double sample = 13 / std::sqrt(2);
  const double deviation = std::sqrt(200.0 / 3);
  const std::vector<double> wanted{pop, sample, 2 * deviation * pop + pop * pop,
                                   2 * 10 * sample + sample * sample};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_THAT(numbers(out.columns[i].half_widths), ElementsAre(DoubleNear(wanted[i], 1e-9)));
  }
}

TEST_F(HalfWidths, OfProductsAndCovariancesFollowTheSlopes) {
  const Answer out = answer(
      "SELECT product(n), geomean(n), covar_pop(n, ascii(place)), covar_samp(ascii(place), n), "
      "regr_slope(n, ascii(place)), corr(n, ascii(place)) FROM t");
  const double logarithm = std::hypot(3.0 / 30, 4.0 / 40, 12.0 / 50);
  // Of 97, 98, 99 the outer two are one off the mean.
  const double pushed = std::hypot(3, 12);
  const std::vector<double> wanted{60000 * logarithm, std::cbrt(60000) * logarithm / 3, pushed / 3,
                                   pushed / 2, pushed / 3 / (2.0 / 3)};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_THAT(numbers(out.columns[i].half_widths), ElementsAre(DoubleNear(wanted[i], 1e-8))) << i;
  }
  // As much as the covariance and the deviation move it, each by itself.
  EXPECT_GT(numbers(out.columns[5].half_widths)[0], 0.5);
}

TEST_F(HalfWidths, OfAShareHoldTheNoiseOfTheWhole) {
  const Answer out = answer("SELECT n / (SELECT sum(n) FROM t) AS share FROM t WHERE place = 'a'");
  const double by_part = 3.0 / 120;
  const double by_whole = 30.0 / 120 - 30.0 / 133;
  EXPECT_THAT(numbers(out.columns[0].half_widths),
              ElementsAre(DoubleNear(std::hypot(by_part, by_whole), 1e-12)));
}

TEST_F(HalfWidths, AreNotMultipliedWithoutEnd) {
  std::string names = "n AS a0";
  for (int i = 0; i < 9; ++i) names += fmt::format(", a{} + a{} AS a{}", i, i, i + 1);
  const Answer out = answer("SELECT " + names + " FROM t");
  EXPECT_EQ(out.columns[1].interval, IntervalKind::kApproximate);
  EXPECT_THAT(numbers(out.columns[1].half_widths), ElementsAre(6, 8, 24));
  EXPECT_EQ(out.columns[9].interval, IntervalKind::kNone);
}

}  // namespace
}  // namespace tacit::sql
