#include "tacit/sql/bounded_rows.h"

#include <algorithm>
#include <map>

#include "tacit/sql/bind.h"
#include "tacit/sql/testing/clinic.h"

namespace tacit::sql {
namespace {

using Rows = std::vector<std::pair<std::int64_t, std::int64_t>>;

// The minutes and hours of visits, of each person at most `most`.
class BoundedRowsTest : public ClinicTest {
 protected:
  void SetUp() override {
    ClinicTest::SetUp();
    // So that the three visits of a person differ.
    ASSERT_TRUE(engine_->execute("UPDATE visits SET minutes = (minutes + 7 * rowid) % 53"));
  }
  Result<std::string> statement(std::uint64_t most, std::string_view secret) {
    auto bound = bind(QueryText("SELECT sum(minutes), sum(hour) FROM visits"), schema_, *embedded_);
    EXPECT_TRUE(bound) << bound.error().message();
    const Aggregation& rows = bound->aggregations.front();
    AggregationPlan plan{.rows = most, .row_is_unit = one_row_a_unit(*rows.input)};
    return bounded_rows_statement(rows, {rows.aggregates[0].argument, rows.aggregates[1].argument},
                                  plan, engine_->dialect(), secret);
  }
  Rows read(std::uint64_t most, std::string_view secret) {
    const auto sql = statement(most, secret);
    EXPECT_TRUE(sql) << sql.error().message();
    const auto columns = engine_->query_integers(*sql);
    EXPECT_TRUE(columns) << engine_->steward_detail() << *sql;
    Rows out;
    for (std::size_t i = 0; i < columns->front().size(); ++i) {
      out.emplace_back((*columns)[0][i], (*columns)[1][i]);
    }
    std::ranges::sort(out);
    return out;
  }
};

TEST_F(BoundedRowsTest, KeepAsManyRowsOfAUnitAsAllowed) {
  EXPECT_EQ(read(1, "a").size(), 100U);
  EXPECT_EQ(read(2, "a").size(), 200U);
  EXPECT_EQ(read(9, "a").size(), 300U);
}

TEST_F(BoundedRowsTest, AreChosenByTheSecret) {
  EXPECT_EQ(read(1, "a"), read(1, "a"));
  EXPECT_NE(read(1, "a"), read(1, "b"));
}

// What is kept of one person must not depend on who else is there.
TEST_F(BoundedRowsTest, OfAUnitAreAFunctionOfThisUnitAlone) {
  const Rows before = read(2, "a");
  ASSERT_TRUE(engine_->execute("DELETE FROM visits WHERE person = 7"));
  const Rows after = read(2, "a");
  EXPECT_EQ(after.size() + 2, before.size());
  EXPECT_TRUE(std::ranges::includes(before, after));
}

TEST_F(BoundedRowsTest, OfNobodyAreLeftOut) {
  ASSERT_TRUE(engine_->execute("UPDATE visits SET person = NULL WHERE person < 10"));
  EXPECT_EQ(read(9, "a").size(), 270U);
}

TEST_F(BoundedRowsTest, AreAllThereWhereEachIsAUnit) {
  schema_.tables.front().unit = {.kind = Unit::Kind::kRow};
  EXPECT_EQ(read(1, "a").size(), 300U);
  EXPECT_EQ(statement(1, "a")->find("row_number"), std::string::npos);
}

}  // namespace
}  // namespace tacit::sql
