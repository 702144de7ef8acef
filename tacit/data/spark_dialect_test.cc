#include <gmock/gmock.h>

#include <cstdlib>

#include "tacit/data/testing/dialect_suite.h"

namespace tacit {
namespace {

using ::testing::HasSubstr;

class SparkDialectTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const uri = std::getenv("TACIT_TEST_SPARK");
    if (uri == nullptr) {
      GTEST_SKIP() << "no server: run under scripts/with-spark (sets TACIT_TEST_SPARK)";
    }
    auto opened = Engine::spark(uri);
    ASSERT_TRUE(opened) << opened.error().message();
    engine_.emplace(*std::move(opened));
    // What a plan would compute beforehand is compiled and run, as it is over a stored table.
    ASSERT_TRUE(
        engine_->execute("SET spark.sql.optimizer.excludedRules = "
                         "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation"));
  }

  std::vector<Cell> row(const std::string& columns) {
    const auto table = engine_->query("SELECT " + columns);
    EXPECT_TRUE(table) << columns << "\n" << engine_->steward_detail();
    std::vector<Cell> cells;
    for (std::size_t i = 0; table && i < table->columns.size(); ++i) {
      cells.push_back(table->columns[i][0]);
    }
    return cells;
  }

  std::optional<Engine> engine_;
  const Dialect& dialect_ = spark_dialect();
};

TEST_F(SparkDialectTest, FunctionsHaveTheirValues) { check_functions(*engine_); }

TEST_F(SparkDialectTest, CastsHaveTheirValues) { check_casts(*engine_); }

TEST_F(SparkDialectTest, NoValueIsAnError) { check_totality(*engine_); }

TEST_F(SparkDialectTest, LiteralsReadBack) {
  std::vector<ValueCheck> checks;
  for (const Type& type : {kBooleanType, kIntegerType, Type{TypeKind::kDecimal, 38, 5}, kRealType,
                           kTextType, kDateType, kTimestampType}) {
    for (const Cell& cell : cases::nasty_values(type)) {
      checks.push_back({[](auto names) { return names[0]; }, {{cell, type}}, {cell, type}, "it"});
    }
  }
  for (const std::string& text : {std::string("a\0'b\0", 5), std::string("${env:HOME} \\n '")}) {
    checks.push_back({[](auto names) { return names[0]; }, {cases::t(text)}, cases::t(text), "it"});
  }
  expect_in_batches(*engine_, checks);
}

TEST_F(SparkDialectTest, SmallDecimalsAreWrittenWithoutExponent) {
  std::vector<ValueCheck> checks;
  for (const std::string text :
       {"-0.0000000001", "0.0000000000", "12.5000000000", "-1.0000000001"}) {
    checks.push_back({[&](auto names) {
                        return dialect_.cast(names[0], cases::decimal_type(20, 10), kTextType);
                      },
                      {cases::dec(text, 20)},
                      cases::t(text),
                      text});
  }
  expect_in_batches(*engine_, checks);
}

TEST_F(SparkDialectTest, IdentifiersAreQuoted) {
  EXPECT_EQ(dialect_.identifier("order `by`"), "`order ``by```");
}

TEST_F(SparkDialectTest, SumsDoNotOverflowOrLosePlaces) {
  const auto sums = row(dialect_.exact_sum("x", kIntegerType) + " AS a, " +
                        dialect_.exact_sum("y", cases::decimal_type(38, 10)) +
                        " AS b FROM (SELECT 9223372036854775807L AS x, "
                        "CAST('9999999999999999.0000000001' AS DECIMAL(38,10)) AS y "
                        "FROM range(1000))");
  EXPECT_EQ(sums,
            (std::vector<Cell>{int128{9223372036854775807} * 1000,
                               parse_decimal("9999999999999999.0000000001")->unscaled * 1000}));
}

TEST_F(SparkDialectTest, KeyedHashTellsOperandsApart) {
  const auto hash = [&](std::vector<std::string> operands, std::string_view secret = "key") {
    return dialect_.keyed_hash(operands, secret);
  };
  const auto hashes =
      row(fmt::format("{}, {}, {}, {}, {}, {}", hash({"'a'", "'b'"}), hash({"'ab'", "''"}),
                      hash({"'a'", "'b'"}, "other"), hash({"''"}), hash({"CAST(NULL AS STRING)"}),
                      hash({"'a:1:b'"})));
  EXPECT_EQ(std::set<Cell>(hashes.begin(), hashes.end()).size(), 6U);
}

// What is stored in another type, or is no text, is NULL where it does not fit.
TEST_F(SparkDialectTest, ReadsWhateverIsStored) {
  const auto read = [&](const std::string& column, const Type& type) {
    return dialect_.read_as(column, type);
  };
  EXPECT_EQ(row(fmt::format("{}, {}, {}, {}", read("'12x'", kIntegerType),
                            read("1e300D", cases::decimal_type(9, 2)),
                            read("CAST(X'ff41' AS STRING)", kTextType), read("X'41'", kTextType))),
            (std::vector<Cell>{Cell(), Cell(), Cell(), Cell(std::string("A"))}));
}

TEST_F(SparkDialectTest, LongSumsStayShort) {
  std::string sum = "r";
  const std::vector<Type> types{kRealType, kRealType};
  for (int level = 0; level < 20; ++level) {
    const std::vector<std::string> arguments{sum, "r"};
    sum = dialect_.call(Function::kAdd, arguments, types, kRealType);
  }
  EXPECT_LT(sum.size(), 500U);
  EXPECT_EQ(row(sum + " FROM (SELECT CAST('0.5' AS DOUBLE) AS r)"), std::vector<Cell>{10.5});
}

}  // namespace
}  // namespace tacit
