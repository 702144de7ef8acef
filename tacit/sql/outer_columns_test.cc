#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tacit/sql/outer_columns_internal.h"

namespace tacit::sql {
namespace {

class OuterColumnsTest : public ::testing::Test {
 protected:
  // The names of the columns of `wards(id, city, beds)` that `text` reads.
  std::vector<std::string> read_by(const std::string& text) {
    TableSchema wards{.name = "wards"};
    for (const char* name : {"id", "city", "beds"}) wards.columns.push_back({.name = name});
    const auto tree = parse_select(*embedded_, QueryText(text));
    EXPECT_TRUE(tree) << tree.error().message();
    std::vector<std::string> out;
    for (const Column& column : columns_read(*tree, wards)) out.push_back(column.name);
    return out;
  }

  Result<Engine> embedded_ = Engine::duckdb_in_memory(Engine::Files::kRefused);
  const std::vector<std::string> all_{"id", "city", "beds"};
};

TEST_F(OuterColumnsTest, AreThoseThatAreNamedAnywhere) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(read_by("SELECT w.city FROM released_0 JOIN wards w ON key_0 = w.ID"),
            (Names{"id", "city"}));
  EXPECT_EQ(read_by("SELECT value_0 FROM released_0 JOIN wards USING (id)"), Names{"id"});
  EXPECT_EQ(read_by("SELECT value_0 FROM released_0 WHERE key_0 IN (SELECT id FROM wards "
                    "WHERE city = 'Bern' ORDER BY beds)"),
            all_);
  EXPECT_EQ(read_by("WITH w AS (SELECT beds AS b FROM wards) SELECT sum(b), count(*) FROM w"),
            Names{"beds"});
}

TEST_F(OuterColumnsTest, AreAllWhereNoneNeedBeNamed) {
  for (const char* text :
       {"SELECT * FROM wards", "SELECT w.* FROM wards w", "SELECT wards FROM wards",
        "SELECT w FROM wards w", "SELECT id FROM wards NATURAL JOIN released_0",
        "SELECT a FROM wards AS w(a, b, c)", "SELECT COLUMNS('b.*') FROM wards",
        "SELECT #1 FROM wards", "SELECT count(*) FROM wards"}) {
    EXPECT_EQ(read_by(text), all_) << text;
  }
}

}  // namespace
}  // namespace tacit::sql
