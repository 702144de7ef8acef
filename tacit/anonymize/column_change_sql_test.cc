#include <gtest/gtest.h>

#include "tacit/anonymize/column_change_sql_internal.h"
#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

class ChangeSqlTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(engine_.execute(
        "CREATE TEMP TABLE t AS SELECT i AS n, CASE WHEN i = 7 THEN '' ELSE CAST(i AS VARCHAR) || "
        "'.25' END AS v, DATE '2020-01-01' AS d FROM range(1000) r(i)"));
  }

  Cell one(const std::string& sql) {
    const auto table = engine_.query(sql);
    if (!table) ADD_FAILURE() << engine_.steward_detail();
    return table ? table->columns[0][0] : Cell();
  }

  Engine engine_ = testing::engine_with_files();
};

TEST_F(ChangeSqlTest, AsksHowNumbersAreWritten) {
  const auto facts = engine_.query(ChangeFacts::query("v", "VARCHAR", "t"));
  ASSERT_TRUE(facts) << engine_.steward_detail();
  EXPECT_EQ(facts->columns[0][0], Cell(int128{999}));  // the empty text is missing
  EXPECT_EQ(facts->columns[1][0], Cell(int128{0}));
  EXPECT_EQ(facts->columns[2][0], Cell(int128{2}));
  const auto dates = engine_.query(ChangeFacts::query("d", "DATE", "t"));
  ASSERT_TRUE(dates) << engine_.steward_detail();
  EXPECT_EQ(dates->columns[1][0], Cell(int128{1000}));
}

// Uniform numbers: of a thousand, as many below a half as a fair coin gives (6.5 deviations of 16),
// none twice, and others for another secret.
TEST_F(ChangeSqlTest, DrawsUniformNumbersByASecret) {
  const std::string u = ChangeSql::uniform("a");
  const auto below = one("SELECT count(*) FILTER (" + u + " < 0.5) FROM t");
  EXPECT_NEAR(static_cast<double>(std::get<int128>(below)), 500, 103);
  EXPECT_EQ(one("SELECT count(DISTINCT " + u + ") FROM t"), Cell(int128{1000}));
  EXPECT_EQ(one("SELECT count(*) FROM t WHERE " + u + " NOT BETWEEN 0 AND 0.9999999999999999"),
            Cell(int128{0}));
  EXPECT_EQ(one("SELECT count(*) FROM t WHERE " + u + " = " + ChangeSql::uniform("b")),
            Cell(int128{0}));
}

TEST_F(ChangeSqlTest, WritesNumbersAsTheColumnDid) {
  const ChangeSql sql("v", {.type = "VARCHAR", .values = 999, .decimals = 2}, "secret");
  const std::string from = sql.changed({.top = Rational(5)}, "t");
  EXPECT_EQ(one("SELECT v FROM " + from + " WHERE n = 3"), Cell(std::string("3.25")));
  EXPECT_EQ(one("SELECT v FROM " + from + " WHERE n = 900"), Cell(std::string("5")));
  const std::string noisy =
      sql.changed({.perturbation = rule::Noise{.deviation = Rational(10)}}, "t");
  EXPECT_EQ(
      one("SELECT count(*) FROM " + noisy + " WHERE regexp_full_match(v, '-?[0-9]+\\.[0-9]{2}')"),
      Cell(int128{999}));
}

}  // namespace
}  // namespace tacit::anonymize
