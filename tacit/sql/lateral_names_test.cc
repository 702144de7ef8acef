#include "tacit/sql/lateral_names_internal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tacit::sql {
namespace {

class LateralNamesTest : public ::testing::Test {
 protected:
  Json parse(const std::string& sql) { return parse_select(engine_, QueryText(sql)).value(); }

  // a0 with `count` columns behind it, each the sum of the one before with itself.
  static std::string doubling(int count) {
    std::string out = "SELECT a0";
    for (int i = 0; i < count; ++i) out += fmt::format(", a{0} + A{0} AS a{1}", i, i + 1);
    return out;
  }

  Engine engine_ = Engine::duckdb_in_memory(Engine::Files::kRefused).value();
};

// Column i is 2^(i+1) - 1 expressions: a0 and eleven more are 8178 together, with the twelfth
// 16369.
TEST_F(LateralNamesTest, AreCountedAsTheyAreWrittenOut) {
  EXPECT_EQ(overlong_part(parse(doubling(11) + " FROM t")), nullptr);
  const Json longer = parse(doubling(12) + " FROM t");
  EXPECT_EQ(overlong_part(longer), &longer["node"]["select_list"][12]);
}

TEST_F(LateralNamesTest, AreCountedInClauses) {
  const Json query = parse(doubling(10) + " FROM t WHERE a10 > 0 ORDER BY a10");
  EXPECT_EQ(overlong_part(query), nullptr);
  const Json longer = parse(doubling(10) + " FROM t WHERE a10 > 0 ORDER BY a10, a10 + 1");
  EXPECT_EQ(overlong_part(longer), &longer["node"]["where_clause"]);
}

TEST_F(LateralNamesTest, AreFoundInsideOfSubqueriesAndCtes) {
  const std::string long_one = doubling(12) + " FROM t";
  for (const std::string& sql :
       {"SELECT 1 FROM (" + long_one + ")", "WITH c AS (" + long_one + ") SELECT 1 FROM c",
        "SELECT 1 FROM t UNION ALL " + long_one, "SELECT n, (" + long_one + ") FROM t"}) {
    EXPECT_NE(overlong_part(parse(sql)), nullptr) << sql;
  }
}

// What a subquery computes is computed once, however often its columns are named.
TEST_F(LateralNamesTest, DoNotLeaveTheirSelect) {
  std::string sql = "SELECT a0 FROM t";
  for (int i = 0; i < 60; ++i) {
    sql = fmt::format("SELECT a{0} + a{0} AS a{1} FROM ({2})", i, i + 1, sql);
  }
  EXPECT_EQ(overlong_part(parse(sql)), nullptr);
}

TEST_F(LateralNamesTest, OfATableAreNotThoseOfColumns) {
  std::string sql = "SELECT a0";
  for (int i = 0; i < 60; ++i) sql += fmt::format(", t.a{0} + t.a{0} AS a{1}", i, i + 1);
  EXPECT_EQ(overlong_part(parse(sql + " FROM t")), nullptr);
}

}  // namespace
}  // namespace tacit::sql
