#include "tacit/sql/plan_facts.h"

#include <gtest/gtest.h>

#include "tacit/sql/testing/clinic.h"

namespace tacit::sql {
namespace {

using PlanFactsTest = ClinicTest;

TEST_F(PlanFactsTest, SayWhatOneUnitAddsAndHowWideTheNoiseIs) {
  const auto facts =
      facts_of(plan("SELECT hour, count(*), sum(minutes), avg(minutes), median(minutes) "
                    "FROM visits GROUP BY hour"),
               duckdb_dialect());
  ASSERT_TRUE(facts) << facts.error().message();
  ASSERT_EQ(facts->releases.size(), 1U);
  const ReleaseFacts& release = facts->releases[0];
  EXPECT_EQ(release.tables, std::vector<std::string>{"visits"});
  EXPECT_EQ(release.unit, "visits.person");
  EXPECT_EQ(release.groups, 4U);
  EXPECT_EQ(release.rows, 3U);
  EXPECT_EQ(release.keys[0].domain, "4 values");
  EXPECT_FALSE(release.selection);
  ASSERT_EQ(release.columns.size(), 4U);
  EXPECT_EQ(release.columns[0].asked, "count(*)");
  EXPECT_EQ(release.columns[1].asked, "sum(minutes)");
  EXPECT_TRUE(release.columns[0].half_width);
  EXPECT_TRUE(release.columns[1].half_width);
  EXPECT_FALSE(release.columns[2].half_width) << "an average's depends on data";
  EXPECT_TRUE(release.columns[3].made_of.empty());
  const NoiseFacts& sum = release.noise[release.columns[1].made_of[0]];
  EXPECT_EQ(sum.lower, Rational(0));
  EXPECT_EQ(sum.upper, Rational(180));
  // Laplace noise of scale 4 groups times what a unit adds over the share of epsilon.
  EXPECT_GT(*release.columns[1].half_width, 4 * 180 / 0.5);
  EXPECT_EQ(facts->delta, Rational(0));
}

TEST_F(PlanFactsTest, UseADeltaOnlyWhereSomethingNeedsOne) {
  PlanOptions options{.epsilon = Rational(1), .delta = *Rational::parse("1e-6")};
  options.bounds = {.groups = 1, .rows_per_group = 1};
  const auto facts = [&](const char* text) {
    return *facts_of(*prepare(text, schema_, options, *embedded_), duckdb_dialect());
  };
  EXPECT_EQ(facts("SELECT count(*) FROM visits").delta, Rational(0));
  const PlanFacts keyed =
      facts("SELECT minutes, count(*) FROM visits WHERE hour = 1 GROUP BY minutes");
  EXPECT_EQ(keyed.releases[0].keys[0].domain, "61 values");
  EXPECT_FALSE(keyed.releases[0].selection);
  const PlanFacts secret =
      facts("SELECT person, count(*) FROM (SELECT person // 2 AS person FROM visits) GROUP BY 1");
  EXPECT_TRUE(secret.releases[0].selection);
  EXPECT_EQ(secret.delta, *options.delta);
  EXPECT_NE(secret.releases[0].statements[0].find("SECRET"), std::string::npos);
}

TEST_F(PlanFactsTest, ArePlainJson) {
  const Json json = to_json(*facts_of(plan("SELECT count(*) FROM visits"), duckdb_dialect()));
  EXPECT_EQ(json["epsilon"], "0.5");
  EXPECT_EQ(json["neighbours"], "add_remove");
  EXPECT_EQ(json["releases"][0]["columns"][0]["asked"], "count(*)");
  EXPECT_EQ(json["releases"][0]["max_rows"], 3);
}

}  // namespace
}  // namespace tacit::sql
