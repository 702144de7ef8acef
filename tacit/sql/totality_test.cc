// What is known to make an engine fail, planted in one person's row: no statement fails, and the
// person changes nothing but their own part.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "tacit/sql/ask.h"
#include "tacit/sql/testing/movement.h"

namespace tacit::sql {
namespace {

// Each gives a value or NULL on every row.
constexpr std::array kNumbers{
    "n / z",
    "n // z",
    "n % z",
    "mod(n, z)",
    "z / z",
    "1 / (n - n)",
    "n + n",
    "n - 1 - n - n",
    "n * n",
    "n * n * n * n",
    "-n",
    "abs(n)",
    "abs(d)",
    "d * d",
    "d * d * d * d",
    "d + n",
    "h + h",
    "h * h",
    "h - n",
    "sqrt(n)",
    "sqrt(r)",
    "ln(n)",
    "ln(z)",
    "ln(r)",
    "exp(n)",
    "exp(r)",
    "pow(n, n)",
    "pow(z, -1)",
    "pow(r, 0.5)",
    "power(n, r)",
    "r + r",
    "r * r",
    "r / r",
    "1 / r",
    "floor(r)",
    "ceil(r)",
    "round(r)",
    "round(d)",
    "floor(h)",
    "sign(r)",
    "CAST(r AS BIGINT)",
    "CAST(r AS DECIMAL(9,2))",
    "CAST(h AS BIGINT)",
    "CAST(h AS DECIMAL(9,2))",
    "CAST(n AS DECIMAL(9,2))",
    "CAST(t AS BIGINT)",
    "CAST(t AS DECIMAL(9,2))",
    "CAST(t AS DOUBLE)",
    "CAST(t AS DOUBLE) * 1e300",
    "width_bucket(r, 0, 1, 5)",
    "width_bucket(n, r, 1, 5)",
    "width_bucket(r, r, r, 5)",
    "length(t)",
    "length(substring(t, n, n))",
    "length(substring(t, z, 2))",
    "length(left(t, n))",
    "length(replace(t, '', 'x'))",
    "length(concat(t, t, n))",
    "length(upper(t) || lower(t))",
    "length(trim(t))",
    "least(n, r)",
    "greatest(h, n)",
    "coalesce(n / z, n)",
    "nullif(n, z)",
    "year(a)",
    "quarter(a)",
    "dayofweek(a)",
    "dayofyear(a)",
    "hour(m)",
    "second(m)",
    "year(a + 1)",
    "year(a + n)",
    "year(a - n)",
    "year(a + INTERVAL 4000000 YEAR)",
    "year(a - INTERVAL 4000000 MONTH)",
    "year(m + INTERVAL 4000000 DAY)",
    "hour(m - INTERVAL 4000000 HOUR)",
    "year(date_trunc('week', a))",
    "year(date_trunc('quarter', m))",
    "a - DATE '2026-01-01'",
    "DATE '0001-01-01' - a",
    "year(CAST(t AS DATE))",
    "hour(CAST(t AS TIMESTAMP))",
    "year(CAST(m AS DATE))",
    "hour(CAST(a AS TIMESTAMP))",
    "length(CAST(a AS VARCHAR))",
    "length(CAST(n AS VARCHAR))",
    "CASE WHEN t LIKE '%\\%%' THEN 1 WHEN t LIKE '_' THEN n END",
    "CASE WHEN starts_with(t, '') AND contains(t, '%') THEN 1 / z END",
};

// n an integer, z mostly zero, d and h decimals, r a real, t a text, a a date, m a moment.
constexpr const char* kTable =
    "CREATE TABLE rows (person BIGINT, n BIGINT, z BIGINT, d DECIMAL(9,2), h DECIMAL(38,0), r "
    "DOUBLE, t VARCHAR, a DATE, m TIMESTAMP)";

const std::vector<std::string> kHostile{
    "9223372036854775807, 0, 9999999.99, 99999999999999999999999999999999999999, 'nan', '', "
    "'infinity', 'infinity'",
    "-9223372036854775808, -1, -9999999.99, -99999999999999999999999999999999999999, 'inf', "
    "'99999999999999999999999999', '-infinity', '-infinity'",
    "0, 0, 0, 99999999999999999999999999999999999999, '-inf', '1e999', '5881580-07-10', "
    "'294247-01-10 04:00:54.775806'",
    "-1, 0, -0.01, -1, 1.7976931348623157e308, 'abc', '5877642-06-25 (BC)', "
    "'290309-12-22 (BC) 00:00:00'",
    "1, 0, 0.01, 1, -1.7976931348623157e308, '2026-02-30', '0001-01-01', '0001-01-01 00:00:00'",
    "2, 0, 0.02, 2, 4.9e-324, '%\\', '9999-12-31', '9999-12-31 23:59:59.999999'",
    "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL",
    "3, 0, 1.00, 3, -0.0, chr(0) || 'ü😀' || chr(9), '2024-02-29', '2024-02-29 24:00:00'",
};

class Totality : public ::testing::Test {
 protected:
  void SetUp() override {
    schema_.tables.push_back(
        {"rows",
         "rows",
         {.kind = Unit::Kind::kColumns, .columns = {"person"}},
         {column("person", kIntegerType), column("n", kIntegerType), column("z", kIntegerType),
          column("d", {TypeKind::kDecimal, 9, 2}), column("h", {TypeKind::kDecimal, 38, 0}),
          column("r", kRealType), column("t", kTextType), column("a", kDateType),
          column("m", kTimestampType)}});
    ASSERT_TRUE(engine_.execute(kTable));
    ASSERT_TRUE(engine_.execute(
        "INSERT INTO rows SELECT 10 + i, i, 1, 1.00, 1, 0.5, 'x', DATE '2026-01-01', TIMESTAMP "
        "'2026-01-01 00:00:00' FROM range(5) AS g(i)"));
    ASSERT_TRUE(engine_.execute("CREATE TABLE hostile AS SELECT * FROM rows LIMIT 0"));
    for (const std::string& values : kHostile) {
      ASSERT_TRUE(engine_.execute(fmt::format("INSERT INTO hostile VALUES (1, {})", values)))
          << values << engine_.steward_detail();
    }
  }

  static Column column(const char* name, Type type) {
    return {name, type, std::nullopt, std::nullopt, {}};
  }

  // The query is answered with and without the rows, and the difference is what the plan allows.
  void expect_total(const std::string& sql) {
    SCOPED_TRACE(sql);
    const auto plan = prepare(sql, schema_,
                              {.epsilon = Rational(1),
                               .delta = Rational::parse("1e-6").value(),
                               .bounds = {.groups = 2, .rows_per_group = 2}},
                              embedded_);
    ASSERT_TRUE(plan) << plan.error().message();
    const auto one = exact(*plan);
    ASSERT_TRUE(engine_.execute("INSERT INTO rows SELECT * FROM hostile"));
    const auto other = exact(*plan);
    ASSERT_TRUE(engine_.execute("DELETE FROM rows WHERE person = 1"));
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      testing::Movement movement(plan->aggregations[i], plan->neighbours);
      EXPECT_EQ(movement.compare(one[i], other[i]), "");
    }
  }

  std::vector<ExactGroups> exact(const QueryPlan& plan) {
    std::vector<ExactGroups> out;
    for (std::size_t i = 0; i < plan.aggregations.size(); ++i) {
      auto groups = exact_groups(plan.query.aggregations[i], plan.aggregations[i], engine_, "key");
      EXPECT_TRUE(groups) << engine_.steward_detail();
      if (groups) out.push_back(*std::move(groups));
    }
    return out;
  }

  Schema schema_{.dataset = "rows"};
  Engine engine_ = Engine::duckdb_in_memory(Engine::Files::kRefused).value();
  Engine embedded_ = Engine::duckdb_in_memory(Engine::Files::kRefused).value();
};

TEST_F(Totality, OfExpressions) {
  for (const char* number : kNumbers) {
    expect_total(
        fmt::format("SELECT count(*), sum(LEAST(GREATEST({0}, -5), 5)), count({0}), "
                    "avg(LEAST(GREATEST({0}, -5), 5)) FROM rows",
                    number));
  }
}

TEST_F(Totality, OfConditions) {
  for (const char* number : kNumbers) {
    expect_total(fmt::format("SELECT count(*) FROM rows WHERE {} > 0", number));
  }
}

// Keys and values go through the hash that chooses among them.
TEST_F(Totality, OfKeysAndValues) {
  for (const char* key : {"n", "d", "h", "t", "a", "m", "n / 2 > 1", "round(r)", "year(a)"}) {
    expect_total(fmt::format("SELECT {0} AS k, count(*) FROM rows GROUP BY k", key));
    expect_total(fmt::format("SELECT count(DISTINCT {}) FROM rows", key));
  }
  expect_total("SELECT count(DISTINCT r) FROM rows");
}

TEST_F(Totality, OfAggregates) {
  for (const char* number : {"n", "z", "d", "h", "r"}) {
    const std::string bounded = fmt::format("LEAST(GREATEST({}, -5), 5)", number);
    expect_total(
        fmt::format("SELECT sum({0}), avg({0}), stddev({0}), median({0}), min({0}), "
                    "max({0}) FROM rows",
                    bounded));
  }
}

TEST_F(Totality, OfTotalsOfAUnit) {
  for (const char* inner : {"sum(n)", "sum(d)", "avg(n)", "avg(d)", "min(h)", "max(r)",
                            "count(DISTINCT t)", "sum(n * n)", "sum(n) * sum(n)"}) {
    expect_total(
        fmt::format("SELECT sum(LEAST(GREATEST(s, -5), 5)) FROM (SELECT person, {} AS s "
                    "FROM rows GROUP BY person)",
                    inner));
  }
}

// One row's text would grow beyond what the engine can hold, and the statement fail.
TEST_F(Totality, OfTextsThatGrow) {
  std::string longer = "CASE WHEN t = 'abc' THEN 'aaaaaaaaaa' ELSE '' END";
  for (int i = 0; i < 5; ++i) {
    longer = fmt::format("replace({}, 'a', '{}')", longer, std::string(1000, 'a'));
  }
  expect_total(fmt::format("SELECT count(*) FROM rows WHERE length({}) >= 0", longer));
  expect_total(fmt::format("SELECT {} AS k, count(*) FROM rows GROUP BY k", longer));

  std::string units =
      "SELECT person, max(CASE WHEN t = 'abc' THEN 'aaaaaaaaaa' ELSE '' END) AS s FROM rows GROUP "
      "BY person";
  for (int i = 0; i < 7; ++i) {
    std::string many = "s";
    for (int k = 1; k < 30; ++k) many += ", s";
    units =
        fmt::format("SELECT person, max(concat({})) AS s FROM ({}) GROUP BY person", many, units);
  }
  expect_total(fmt::format("SELECT count(*) FROM ({}) WHERE length(s) >= 0", units));
}

// The digits of such a sum have no end.
TEST_F(Totality, RefusesSumsOfAUnitThatCouldOverflow) {
  for (const char* inner : {"sum(h)", "avg(h)"}) {
    const auto plan = prepare(fmt::format("SELECT sum(LEAST(GREATEST(s, -5), 5)) FROM (SELECT "
                                          "person, {} AS s FROM rows GROUP BY person)",
                                          inner),
                              schema_, {.bounds = {.rows_per_group = 2}}, embedded_);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().what, "a sum of so many digits could overflow");
  }
}

}  // namespace
}  // namespace tacit::sql
