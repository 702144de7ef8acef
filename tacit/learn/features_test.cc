#include "tacit/learn/features.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tacit/learn/testing/learn_test.h"

namespace tacit::learn {
namespace {

using testing::HasSubstr;

class FeaturesTest : public LearnTest {
 protected:
  void SetUp() override {
    LearnTest::SetUp();
    create(
        "SELECT * FROM (VALUES (0::BIGINT, 50.0::DOUBLE), (100, 100.0), (150, -7.0), (NULL, 1.0), "
        "(50, NULL), (50, 'nan'), (50, 'inf')) AS v(age, \"money spent\")",
        {{"age", kIntegerType, Rational(0), Rational(100)}, {"money spent", kRealType}});
  }
  Result<std::vector<Feature>> features(Rows rows) {
    return features_of(rows, schema_, *embedded_);
  }
};

TEST_F(FeaturesTest, RangesAreDeclaredNamedOrCarriedThroughExpressions) {
  const auto found = features({.from = "people",
                               .columns = {"age", "2 * age - 10", "money spent"},
                               .ranges = {{"money spent", Rational(0), Rational(100)}}});
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ((*found)[0].upper, 100);
  EXPECT_EQ((*found)[1].lower, -10);
  EXPECT_EQ((*found)[1].upper, 190);
  EXPECT_EQ((*found)[2].sql, "\"money spent\"");
  EXPECT_EQ((*found)[1].from_unit(1), 190);
  EXPECT_EQ((*found)[1].from_unit(-1), -10);
}

TEST_F(FeaturesTest, ValuesAreClampedAndRowsWithoutThemLeftOut) {
  const auto found = features({.from = "people",
                               .columns = {"age", "money spent"},
                               .ranges = {{"money spent", Rational(0), Rational(100)}}});
  ASSERT_TRUE(found);
  const auto rows = unit_rows("people", *found, schema_);
  ASSERT_TRUE(rows);
  const auto table = engine_->query("SELECT u0, u1 FROM (" + *rows + ") ORDER BY u0, u1");
  ASSERT_TRUE(table) << table.error().message();
  const auto at = [&](std::size_t column, std::size_t row) {
    return std::get<double>(table->columns[column][row]);
  };
  // Plain DuckDB keeps NaN and infinities that the total dialect turns to NULL; the first three
  // rows are those of numbers.
  std::vector<std::pair<double, double>> seen;
  for (std::size_t row = 0; row < table->rows(); ++row) seen.emplace_back(at(0, row), at(1, row));
  EXPECT_THAT(seen, testing::IsSupersetOf(
                        std::vector<std::pair<double, double>>{{-1, 0}, {1, 1}, {1, -1}}));
}

TEST_F(FeaturesTest, RefusesWhatHasNoRangeOrNoName) {
  const auto refusal = [&](Rows rows) {
    const auto found = features(std::move(rows));
    EXPECT_FALSE(found);
    return found ? std::string() : found.error().message();
  };
  EXPECT_THAT(refusal({.from = "people", .columns = {"money spent"}}), HasSubstr("--range"));
  EXPECT_THAT(refusal({.from = "people", .columns = {}}), HasSubstr("--columns"));
  EXPECT_THAT(
      refusal(
          {.from = "people", .columns = {"age"}, .ranges = {{"age", Rational(3), Rational(3)}}}),
      HasSubstr("empty"));
  EXPECT_THAT(
      refusal(
          {.from = "people", .columns = {"age"}, .ranges = {{"agee", Rational(0), Rational(3)}}}),
      HasSubstr("none of the columns"));
  EXPECT_THAT(refusal({.from = "peeple", .columns = {"age"}}), HasSubstr("no table 'peeple'"));
  EXPECT_THAT(refusal({.from = "people", .columns = {"count(*)"}}), HasSubstr("feature count(*)"));
}

TEST_F(FeaturesTest, RowsMayBeASelect) {
  const auto found = features({.from = "SELECT age FROM people WHERE age > 3", .columns = {"age"}});
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->front().upper, 100);
}

TEST(RealLiteral, ReadsBackAsTheSameDouble) {
  for (const double value :
       {0.0, 1.0, -0.5, 0.1, 1e300, -1e-300, 123456.789, std::numeric_limits<double>::min()}) {
    const std::string text = real_literal(value);
    EXPECT_NE(text.find('e'), std::string::npos);
    EXPECT_EQ(std::stod(text.substr(1)), value);
  }
}

}  // namespace
}  // namespace tacit::learn
