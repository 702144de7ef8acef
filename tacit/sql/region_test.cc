#include "tacit/sql/region.h"

#include <gtest/gtest.h>

#include "tacit/data/engine.h"
#include "tacit/sql/bind.h"
#include "tacit/sql/emit.h"

namespace tacit::sql {
namespace {

// A table whose rows are units, one whose units have names, one of a person and a day, one behind a
// path, and a public one.
Schema schema() {
  Schema out{.dataset = "clinic"};
  out.tables = {
      {.name = "visits",
       .source = "visits",
       .unit = {.kind = Unit::Kind::kRow},
       .columns = {{"age", kIntegerType},
                   {"ward", kTextType},
                   {"day", kDateType},
                   {"cost", kRealType},
                   {"paid", kBooleanType}}},
      {.name = "arrivals",
       .source = "arrivals",
       .unit = {.kind = Unit::Kind::kRow},
       .columns = {{"age", kIntegerType}}},
      {.name = "stays",
       .source = "stays",
       .unit = {.kind = Unit::Kind::kColumns, .columns = {"person"}},
       .columns = {{"person", kIntegerType}, {"ward", kTextType}, {"stay", kIntegerType}}},
      {.name = "shifts",
       .source = "shifts",
       .unit = {.kind = Unit::Kind::kColumns, .columns = {"person", "day"}},
       .columns = {{"person", kIntegerType}, {"day", kDateType}, {"hours", kIntegerType}}},
      {.name = "tests",
       .source = "tests",
       .unit = {.kind = Unit::Kind::kPath,
                .columns = {"stay"},
                .parent = "stays",
                .parent_keys = {"stay"}},
       .columns = {{"stay", kIntegerType}, {"result", kIntegerType}}},
      {.name = "wards",
       .source = "wards",
       .columns = {{"ward", kTextType}, {"floor", kIntegerType}}},
  };
  return out;
}

class RegionTest : public ::testing::Test {
 protected:
  Region of(const std::string& text) {
    const auto bound = bind(QueryText(text), schema_, embedded_);
    EXPECT_TRUE(bound) << text << ": " << bound.error().message();
    return Region::of(*bound->aggregations.front().input);
  }
  bool apart(const std::string& a, const std::string& b) {
    const bool found = of("SELECT count(*) FROM " + a).apart_from(of("SELECT count(*) FROM " + b));
    EXPECT_EQ(found, of("SELECT count(*) FROM " + b).apart_from(of("SELECT count(*) FROM " + a)));
    return found;
  }
  // Of the table of rows.
  bool rows_apart(const std::string& a, const std::string& b) {
    return apart("visits WHERE " + a, "visits WHERE " + b);
  }

  Schema schema_ = schema();
  Engine embedded_ = *Engine::duckdb_in_memory(Engine::Files::kRefused);
};

TEST_F(RegionTest, RowsAreApartByContradictingConditions) {
  EXPECT_TRUE(rows_apart("ward = 'a'", "ward = 'b'"));
  EXPECT_TRUE(rows_apart("ward IN ('a', 'b')", "ward IN ('c', 'd')"));
  EXPECT_TRUE(rows_apart("age < 18", "age >= 18"));
  EXPECT_TRUE(rows_apart("18 > age", "age BETWEEN 18 AND 30"));
  EXPECT_TRUE(rows_apart("age BETWEEN 18 AND 30", "age > 30 AND ward = 'a'"));
  EXPECT_TRUE(rows_apart("age IN (1, 2)", "age > 2"));
  EXPECT_TRUE(rows_apart("day < DATE '2026-01-01'", "day >= DATE '2026-01-01'"));
  EXPECT_TRUE(rows_apart("cost <= 1.5", "cost > 1.5"));
  EXPECT_TRUE(rows_apart("paid", "NOT paid"));
  EXPECT_TRUE(rows_apart("ward IS NULL", "ward = 'a'"));
  EXPECT_TRUE(rows_apart("ward IS NULL", "ward IS NOT NULL"));
  EXPECT_TRUE(rows_apart("ward LIKE 'x%'", "NOT (ward LIKE 'x%')"));
  EXPECT_TRUE(rows_apart("age = 5", "age <> 5"));
  EXPECT_TRUE(rows_apart("year(day) = 2025", "year(day) = 2026"));
  EXPECT_TRUE(rows_apart("age // 10 = 3", "ward = 'a' AND age // 10 = 4"));
}

TEST_F(RegionTest, WhateverMayShareAUnitIsNotApart) {
  EXPECT_FALSE(rows_apart("ward = 'a'", "age < 18"));
  EXPECT_FALSE(rows_apart("ward = 'a'", "ward = 'a'"));
  EXPECT_FALSE(rows_apart("ward IN ('a', 'b')", "ward IN ('b', 'c')"));
  EXPECT_FALSE(rows_apart("age <= 18", "age >= 18"));
  EXPECT_FALSE(rows_apart("age < 19", "age > 18"));  // not that there is no whole number between
  EXPECT_FALSE(rows_apart("ward IS NULL", "ward IS NULL"));
  EXPECT_FALSE(rows_apart("age = 5", "age + 1 = 7"));
  EXPECT_FALSE(rows_apart("ward = 'a' OR age = 1", "ward = 'b'"));
  EXPECT_FALSE(rows_apart("NOT (ward = 'a' AND age = 1)", "ward = 'b'"));
  EXPECT_FALSE(rows_apart("CASE WHEN age = 1 THEN TRUE ELSE TRUE END", "age = 2"));
  EXPECT_FALSE(apart("visits", "visits"));
  EXPECT_FALSE(apart("visits WHERE age = 1", "arrivals WHERE age = 2"));
}

TEST_F(RegionTest, NoRowMeetsTheConditionsOfTwoThatAreApart) {
  ASSERT_TRUE(embedded_.execute(
      "CREATE TABLE visits AS SELECT * FROM (VALUES (NULL), (4), (5), (6), (18), (30)) AS a(age), "
      "(VALUES (NULL), ('a'), ('A'), ('a '), ('b')) AS w(ward), (VALUES (NULL), (DATE "
      "'2025-12-31'), (DATE '2026-01-01')) AS d(day), (VALUES (NULL), (-0.0::DOUBLE), "
      "(0.0::DOUBLE), "
      "(1.5::DOUBLE), ('nan'::DOUBLE), ('inf'::DOUBLE)) AS c(cost), (VALUES (NULL), (TRUE), "
      "(FALSE)) AS p(paid)"));
  const std::vector<std::string> conditions = {"age = 5",
                                               "age <> 5",
                                               "age < 5",
                                               "age <= 5",
                                               "age > 5",
                                               "age >= 5",
                                               "age IN (4, 6, NULL)",
                                               "age NOT IN (4, 5)",
                                               "age IS NULL",
                                               "age IS NOT NULL",
                                               "NOT (age < 5)",
                                               "5 < age",
                                               "age BETWEEN 5 AND 18",
                                               "age NOT BETWEEN 5 AND 18",
                                               "age = 5 OR age = 6",
                                               "age // 5 = 1",
                                               "age // 5 > 1",
                                               "age % 2 = 0",
                                               "ward = 'a'",
                                               "ward = 'A'",
                                               "ward <> 'a'",
                                               "ward IN ('a', 'b')",
                                               "ward > 'a'",
                                               "ward <= 'a'",
                                               "ward IS NULL",
                                               "lower(ward) = 'a'",
                                               "lower(ward) = 'b'",
                                               "ward LIKE 'a%'",
                                               "NOT (ward LIKE 'a%')",
                                               "day < DATE '2026-01-01'",
                                               "day >= DATE '2026-01-01'",
                                               "year(day) = 2025",
                                               "year(day) IN (2026, 2027)",
                                               "cost = 0",
                                               "cost < 1.5",
                                               "cost >= 1.5",
                                               "cost > 1.5",
                                               "cost <= 0",
                                               "cost = 1.5",
                                               "cost <> 1.5",
                                               "paid",
                                               "NOT paid",
                                               "paid IS NULL",
                                               "paid = FALSE",
                                               "paid AND age < 5",
                                               "NOT (paid AND age < 5)",
                                               "paid AND age >= 5 AND cost > 1.5",
                                               "coalesce(age, 4) = 4",
                                               "coalesce(age, 4) > 4"};
  std::vector<Region> regions;
  for (const std::string& condition : conditions) {
    regions.push_back(of("SELECT count(*) FROM visits WHERE " + condition));
  }
  std::size_t found = 0;
  for (std::size_t a = 0; a < conditions.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (!regions[a].apart_from(regions[b])) continue;
      ++found;
      const auto both = embedded_.query("SELECT count(*) FROM visits WHERE (" + conditions[a] +
                                        ") AND (" + conditions[b] + ")");
      ASSERT_TRUE(both);
      EXPECT_EQ(std::get<int128>(both->columns[0][0]), 0) << conditions[a] << ", " << conditions[b];
    }
  }
  EXPECT_GE(found, 60U);
}

TEST_F(RegionTest, RowsKeepTheirConditionsThroughWhatStandsAbove) {
  EXPECT_TRUE(apart("(SELECT age + 1 AS a FROM visits) WHERE a = 3",
                    "(SELECT age + 1 AS b, ward FROM visits) AS v WHERE b = 4"));
  EXPECT_TRUE(apart("visits JOIN wards ON visits.ward = wards.ward WHERE age < 18",
                    "visits WHERE age > 20"));
  EXPECT_TRUE(apart("visits LEFT JOIN wards ON visits.ward = wards.ward WHERE age < 18",
                    "visits WHERE age > 20"));
  // The condition of a left join keeps every row.
  EXPECT_FALSE(apart("visits LEFT JOIN wards ON visits.ward = wards.ward AND visits.age < 18",
                     "visits WHERE age > 20"));
  // A public table's row beside it is not the unit's.
  EXPECT_FALSE(apart("visits JOIN wards ON visits.ward = wards.ward WHERE floor = 1",
                     "visits JOIN wards ON visits.ward = wards.ward WHERE floor = 2"));
}

TEST_F(RegionTest, NamedUnitsAreApartByTheirNameAlone) {
  EXPECT_TRUE(apart("stays WHERE person < 100", "stays WHERE person >= 100"));
  EXPECT_TRUE(apart("stays WHERE person % 2 = 0", "stays WHERE person % 2 = 1"));
  EXPECT_FALSE(apart("stays WHERE ward = 'a'", "stays WHERE ward = 'b'"));
  EXPECT_TRUE(
      apart("shifts WHERE day = DATE '2026-01-01'", "shifts WHERE day = DATE '2026-01-02'"));
  EXPECT_FALSE(apart("shifts WHERE hours = 1", "shifts WHERE hours = 2"));
  EXPECT_FALSE(apart("shifts WHERE person = 1", "stays WHERE person = 2"));
  EXPECT_TRUE(of("SELECT count(*) FROM stays WHERE person = 1")
                  .apart_by_name(of("SELECT count(*) FROM stays WHERE person = 2")));
  EXPECT_FALSE(of("SELECT count(*) FROM visits WHERE age = 1")
                   .apart_by_name(of("SELECT count(*) FROM visits WHERE age = 2")));
}

TEST_F(RegionTest, NamesReachThroughJoinsAndPaths) {
  EXPECT_TRUE(apart("stays a JOIN stays b ON a.person = b.person WHERE b.person = 1",
                    "stays WHERE person = 2"));
  EXPECT_TRUE(apart("tests JOIN stays ON tests.stay = stays.stay WHERE person = 1",
                    "stays WHERE person = 2"));
  EXPECT_FALSE(apart("tests WHERE stay = 1", "tests WHERE stay = 2"));
  EXPECT_FALSE(
      apart("stays WHERE stay IN (SELECT stay FROM stays s WHERE s.person = stays.person "
            "AND s.person = 1)",
            "stays WHERE person = 2"));
}

TEST_F(RegionTest, NoUnitHasRowsInTwoThatAreApart) {
  ASSERT_TRUE(embedded_.execute(
      "CREATE TABLE stays AS SELECT * FROM (VALUES (1, 'a', 1), (1, 'b', 2), (2, 'a', 3), (3, 'b', "
      "4), (3, 'b', 5), (3, NULL, 6), (4, NULL, 7), (NULL, 'a', 8)) AS s(person, ward, stay)"));
  ASSERT_TRUE(embedded_.execute(
      "CREATE TABLE tests AS SELECT * FROM (VALUES (1, 1), (1, 2), (3, 1), (4, 2), (6, 1), (7, 2), "
      "(9, 1), (NULL, 1)) AS t(stay, result)"));
  const std::string counted = "(SELECT person, count(*) AS n FROM stays GROUP BY person) AS p";
  const std::string wards = "(SELECT person, max(ward) AS w FROM stays GROUP BY person) AS p";
  const std::vector<std::string> rows = {
      "stays WHERE person = 1",
      "stays WHERE person IN (2, 3)",
      "stays WHERE person > 3",
      "stays WHERE person % 2 = 0",
      "stays WHERE person % 2 = 1 AND ward = 'a'",
      "stays WHERE ward = 'a'",
      "stays WHERE ward = 'b'",
      "stays WHERE ward IS NULL",
      "(SELECT person + 1 AS q, ward FROM stays) AS s WHERE q = 2",
      "(SELECT person AS q FROM stays) AS s WHERE q >= 3",
      counted + " WHERE n = 1",
      counted + " WHERE n > 1",
      counted + " WHERE n > 1 AND person < 3",
      counted + " JOIN stays ON stays.person = p.person WHERE n = 1",
      counted + " JOIN stays ON stays.person = p.person WHERE n > 2 AND ward = 'b'",
      "(SELECT person, count(*) AS n FROM stays GROUP BY person HAVING count(*) > 1) AS p",
      "(SELECT person, ward, count(*) AS n FROM stays GROUP BY person, ward) AS p WHERE n = 1",
      "(SELECT person, ward, count(*) AS n FROM stays GROUP BY person, ward) AS p WHERE n > 1",
      wards + " WHERE w = 'a'",
      wards + " WHERE w = 'b'",
      wards + " WHERE w IS NULL",
      "stays a JOIN stays b ON a.person = b.person WHERE a.ward = 'a' AND b.ward = 'b'",
      "stays a JOIN stays b ON a.person = b.person WHERE b.person = 3",
      "stays a JOIN (SELECT person FROM stays WHERE person = 1) b ON a.person = b.person",
      "stays a LEFT JOIN (SELECT person FROM stays WHERE person = 1) b ON a.person = b.person",
      "tests",
      "tests WHERE result = 1",
      "tests WHERE result = 2",
      "tests JOIN stays ON tests.stay = stays.stay WHERE person = 1",
      "tests JOIN stays ON tests.stay = stays.stay WHERE person = 3 AND result = 2",
      "stays WHERE person NOT IN (SELECT person FROM stays WHERE ward = 'a' AND person IS NOT "
      "NULL)",
      "(SELECT person FROM stays WHERE person = 1 UNION ALL SELECT person FROM stays) AS u",
      "(SELECT person FROM stays WHERE ward = 'a' UNION ALL SELECT person FROM stays) AS u WHERE "
      "person = 2",
  };
  std::vector<Region> regions;
  std::vector<std::string> units;
  for (const std::string& from : rows) {
    const auto bound = bind(QueryText("SELECT count(*) FROM " + from), schema_, embedded_);
    ASSERT_TRUE(bound) << from << ": " << bound.error().message();
    const Relation& input = *bound->aggregations.front().input;
    regions.push_back(Region::of(input));
    Emitter emitter(duckdb_dialect());
    FlatSelect flat = emitter.flatten(input);
    const std::string unit = flat.columns[input.unit().front()];
    flat.where.push_back(unit + " IS NOT NULL");
    units.push_back(emitter.select(flat, {unit}));
  }
  std::size_t found = 0;
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (!regions[a].apart_from(regions[b])) continue;
      ++found;
      const auto both = embedded_.query("SELECT count(*) FROM (" + units[a] + " INTERSECT " +
                                        units[b] + ") AS both_of_them");
      ASSERT_TRUE(both) << embedded_.steward_detail();
      EXPECT_EQ(std::get<int128>(both->columns[0][0]), 0) << rows[a] << "; " << rows[b];
    }
  }
  EXPECT_GE(found, 40U);
}

TEST_F(RegionTest, OnePerUnitIsAsGoodAsARow) {
  const std::string per_person = "(SELECT person, count(*) AS n FROM stays GROUP BY person)";
  EXPECT_TRUE(apart(per_person + " WHERE n = 1", per_person + " WHERE n > 1"));
  EXPECT_FALSE(apart(per_person + " WHERE n = 1",
                     "(SELECT person, count(*) AS n FROM stays WHERE ward = 'a' GROUP BY person) "
                     "WHERE n > 1"));
  EXPECT_FALSE(
      apart("(SELECT person, ward, count(*) AS n FROM stays GROUP BY person, ward) WHERE "
            "n = 1",
            "(SELECT person, ward, count(*) AS n FROM stays GROUP BY person, ward) WHERE "
            "n > 1"));
}

}  // namespace
}  // namespace tacit::sql
