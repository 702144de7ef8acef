#include "tacit/anonymize/changed_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;

// Rows 0, 1, ..., with an income of 10 times the row, and one of three colours; each eleventh has
// neither.
class ChangedRowsTest : public ::testing::Test {
 protected:
  static constexpr int kRows = 4000;

  void SetUp() override {
    std::ofstream out(folder_ / "t.csv");
    out << "row,income,colour\n";
    for (int i = 0; i < kRows; ++i) {
      const char* const colours[] = {"red", "red", "red", "blue", "blue", "green"};
      out << i << ',';
      if (i % 11 != 0) out << 10 * i << ',' << colours[i % 6];
      if (i % 11 == 0) out << ',';
      out << '\n';
    }
  }

  // The columns row, income and colour of what the rule makes of the table.
  Result<Table> changed(const std::string& income, const std::string& colour = "",
                        const std::string& method = "") {
    const auto policy = Policy::parse(
        "[columns]\nrow = \"quasi-identifier\"\nincome = {role = \"other\"" + income +
            "}\ncolour = {role = \"other\"" + colour + "}\n[privacy]\nk = 1\n" + method,
        "p.toml");
    if (!policy) return std::unexpected(policy.error());
    engine_ = testing::engine_with_files();
    auto source = SourceFile::open(engine_, folder_ / "t.csv").value();
    const auto done = change_rows(engine_, source, *policy);
    if (!done) return std::unexpected(done.error());
    return engine_.query("SELECT CAST(row AS BIGINT), income, colour FROM " + source.reader() +
                         " ORDER BY 1");
  }

  // For each row its income, where it has one.
  static std::map<int, double> incomes(const Table& table) {
    std::map<int, double> out;
    for (std::size_t i = 0; i < table.rows(); ++i) {
      const auto* const text = std::get_if<std::string>(&table.columns[1][i]);
      if (text == nullptr || text->empty()) continue;
      out[static_cast<int>(std::get<int128>(table.columns[0][i]))] = std::stod(*text);
    }
    return out;
  }
  static std::map<std::string, int> colours(const Table& table) {
    std::map<std::string, int> out;
    for (const Cell& cell : table.columns[2]) {
      ++out[is_null(cell) ? "" : std::get<std::string>(cell)];
    }
    return out;
  }

  Scratch folder_;
  Engine engine_ = testing::engine_with_files();
};

constexpr int kIncomes = 4000 - 364;  // rows that have one

TEST_F(ChangedRowsTest, CodesBothEndsAndLeavesTheRestAsItWas) {
  const auto table = changed(", bottom = 100, top = 20000.5");
  ASSERT_TRUE(table) << table.error().message() << engine_.steward_detail();
  const auto values = incomes(*table);
  EXPECT_EQ(values.size(), kIncomes);
  for (const auto& [row, income] : values) {
    EXPECT_DOUBLE_EQ(income, std::clamp(10.0 * row, 100.0, 20000.5));
  }
  EXPECT_EQ(table->columns[1][500], Cell(std::string("5000")));
}

TEST_F(ChangedRowsTest, RoundsToMultiples) {
  const auto table = changed(", round = 100");
  ASSERT_TRUE(table) << engine_.steward_detail();
  for (const auto& [row, income] : incomes(*table)) {
    EXPECT_DOUBLE_EQ(income, 100 * std::round(row / 10.0));
  }
  EXPECT_EQ(table->columns[1][16], Cell(std::string("200")));
}

// The mean of n values that each move by less than 100, with a variance of at most 100^2 / 4: 6.5
// standard deviations are 5.4. Rounding down moves it by 45.
TEST_F(ChangedRowsTest, RoundsAtRandomWithoutABias) {
  const auto error = [&](const std::string& rule) {
    double sum = 0;
    const auto values = incomes(*changed(rule));
    for (const auto& [row, income] : values) {
      EXPECT_LT(std::abs(income - (10 * row)), 100);
      EXPECT_EQ(std::fmod(income, 100), 0);
      sum += income - (10 * row);
    }
    return sum / static_cast<double>(values.size());
  };
  EXPECT_LT(std::abs(error(", round = {to = 100, random = true}")), 5.4);
}

// The sample variance of n normal values has a relative deviation of sqrt(2 / n), 2.3%; the mean
// one of 500 / sqrt(n), 8.3. Both are given 6.5 of these; half the deviation would be far out.
TEST_F(ChangedRowsTest, AddsNormalNoise) {
  const auto variance = [&](const std::string& deviation) {
    const auto table = changed(", noise = {deviation = " + deviation + "}");
    EXPECT_TRUE(table) << engine_.steward_detail();
    double sum = 0;
    double squares = 0;
    for (const auto& [row, income] : incomes(*table)) {
      EXPECT_EQ(income, std::round(income));
      sum += income - (10 * row);
      squares += (income - (10 * row)) * (income - (10 * row));
    }
    EXPECT_LT(std::abs(sum / kIncomes), 54);
    return squares / kIncomes;
  };
  EXPECT_NEAR(variance("500"), 250000, 0.16 * 250000);
  EXPECT_LT(variance("250"), 0.5 * 250000);
}

TEST_F(ChangedRowsTest, SwapsOnlyWithNeighboursInRank) {
  const auto before = incomes(*changed(", round = 10"));
  const auto table = changed(", rank_swap = 0.05");
  ASSERT_TRUE(table) << table.error().message() << engine_.steward_detail();
  const auto after = incomes(*table);
  std::multiset<double> were;
  std::multiset<double> are;
  int moved = 0;
  for (const auto& [row, income] : before) {
    were.insert(income);
    are.insert(after.at(row));
    if (after.at(row) != income) ++moved;
    // 181 ranks; each eleventh row has no rank.
    EXPECT_LT(std::abs(after.at(row) - income), 10 * 181 * 1.1 + 10);
  }
  EXPECT_EQ(were, are);
  EXPECT_GT(moved, kIncomes - 50);  // one is left over in each block that is odd
  EXPECT_NE(after, incomes(*changed(", rank_swap = 0.05")));
}

TEST_F(ChangedRowsTest, MakesGroupsOfNeighbours) {
  const auto table = changed(", microaggregate = 5");
  ASSERT_TRUE(table) << engine_.steward_detail();
  std::map<double, int> sizes;
  double sum = 0;
  double before = 0;
  for (const auto& [row, income] : incomes(*table)) {
    ++sizes[income];
    sum += income;
    before += 10 * row;
    EXPECT_LT(std::abs(income - (10 * row)), 80);
  }
  for (const auto& [income, size] : sizes) EXPECT_GE(size, 5);
  EXPECT_EQ(sizes.size(), kIncomes / 5);
  EXPECT_NEAR(sum, before, kIncomes);  // each mean is rounded
  const auto median = incomes(*changed(", microaggregate = {k = 3, center = \"median\"}"));
  EXPECT_EQ(median.at(2), 20);
  EXPECT_EQ(median.at(1), 20);
}

TEST_F(ChangedRowsTest, TakesTheMostFrequentOfTexts) {
  const auto table = changed("", ", microaggregate = 2000");
  ASSERT_TRUE(table) << engine_.steward_detail();
  EXPECT_EQ(colours(*table), (std::map<std::string, int>{{"", 364}, {"red", kIncomes}}));
}

// Of n rows a part p q is replaced by a value that is another: 0.3 * (1 - 1/3) where all are as
// likely. Deviations of sqrt(n p (1 - p)) are 24; 6.5 of them are 157. A tenth of it would be 182.
TEST_F(ChangedRowsTest, RandomizesValues) {
  const auto before = changed("");
  const auto differing = [&](const std::string& rule) {
    const auto table = changed("", rule);
    EXPECT_TRUE(table) << table.error().message() << engine_.steward_detail();
    int out = 0;
    for (std::size_t i = 0; i < table->rows(); ++i) {
      const bool was_missing = i % 11 == 0;
      EXPECT_EQ(is_null(table->columns[2][i]), was_missing) << i;
      if (!was_missing && table->columns[2][i] != before->columns[2][i]) ++out;
    }
    return out;
  };
  EXPECT_NEAR(differing(", pram = 0.3"), kIncomes * 0.2, 157);
  // Few are more uneven: of 73 with a deviation of 8.4, one run in 10^10 has 60 more.
  EXPECT_NEAR(differing(", pram = 0.03"), kIncomes * 0.02, 60);
  EXPECT_NEAR(differing(", pram = {probability = 0.3, invariant = true}"),
              kIncomes * 0.3 * (1 - ((9 + 4 + 1) / 36.0)), 157);
}

// Drawn as often as they were there, values keep their numbers: 6.5 deviations are 200. Drawn each
// as often as the other, the green ones become twice as many.
TEST_F(ChangedRowsTest, KeepsTheSharesWhereItIsInvariant) {
  const auto invariant = colours(*changed("", ", pram = {probability = 1, invariant = true}"));
  EXPECT_NEAR(invariant.at("green"), kIncomes / 6.0, 200);
  EXPECT_NEAR(invariant.at("red"), kIncomes / 2.0, 200);
  const auto even = colours(*changed("", ", pram = 1"));
  EXPECT_NEAR(even.at("green"), kIncomes / 3.0, 200);
}

TEST_F(ChangedRowsTest, RefusesRandomizationThatProtectsTooLittle) {
  const auto weak = changed("", ", pram = {probability = 0.1, alpha = 0.1, beta = 0.5}");
  ASSERT_FALSE(weak);
  EXPECT_THAT(weak.error().message(), HasSubstr("may pass from 0.1 to more than 0.5"));
  EXPECT_THAT(weak.error().message(), HasSubstr("probability = 0.2728"));
  EXPECT_TRUE(changed("", ", pram = {probability = 0.2728, alpha = 0.1, beta = 0.5}"));
  EXPECT_FALSE(changed("", ", pram = {probability = 0.2727, alpha = 0.1, beta = 0.5}"));
}

// A binomial of deviation 27 for a rate of a quarter.
TEST_F(ChangedRowsTest, DrawsASample) {
  std::vector<std::set<int128>> samples;
  for (int round = 0; round < 2; ++round) {
    const auto table = changed("", "", "[method]\nsample = 0.25\n");
    ASSERT_TRUE(table) << engine_.steward_detail();
    EXPECT_NEAR(static_cast<double>(table->rows()), 1000, 180);
    std::set<int128>& rows = samples.emplace_back();
    for (const Cell& cell : table->columns[0]) rows.insert(std::get<int128>(cell));
    EXPECT_EQ(rows.size(), table->rows());
  }
  EXPECT_NE(samples[0], samples[1]);
}

TEST_F(ChangedRowsTest, RefusesNumbersThatAreNone) {
  const auto wrong = changed("", ", top = 5");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message(), HasSubstr("'colour' has 3636 values that are no numbers"));
  EXPECT_THAT(changed(", top = 5, bottom = 6").error().message(), HasSubstr("below 'bottom'"));
  EXPECT_THAT(changed(", noise = 5").error().message(), HasSubstr("needs a deviation"));
  EXPECT_THAT(changed(", noise = {deviation = 5}, rank_swap = 0.1").error().message(),
              HasSubstr("one way only"));
  EXPECT_THAT(changed(", round = 0").error().message(), HasSubstr("above 0"));
  EXPECT_THAT(changed(", pram = 2").error().message(), HasSubstr("at most 1"));
  EXPECT_THAT(changed(", microaggregate = 1").error().message(), HasSubstr("at least 2 rows"));
}

TEST_F(ChangedRowsTest, KeepsTheTypesOfParquet) {
  ASSERT_TRUE(
      engine_.execute("COPY (SELECT CAST(i AS INTEGER) AS a, i * 0.5 AS b, CAST(i AS "
                      "DOUBLE) AS c, DATE '2020-01-01' + CAST(i AS INTEGER) AS d FROM "
                      "range(1000) t(i)) TO '" +
                      (folder_ / "t.parquet").string() + "' (FORMAT parquet)"));
  const Policy policy =
      Policy::parse(
          "[columns]\na = {role = \"quasi-identifier\", noise = {deviation = 5}}\nb = {role = "
          "\"other\", top = 90}\nc = {role = \"other\", round = 5}\nd = {role = \"other\", "
          "rank_swap "
          "= 0.1}\n[privacy]\nk = 1\n",
          "p.toml")
          .value();
  auto source = SourceFile::open(engine_, folder_ / "t.parquet").value();
  const auto done = change_rows(engine_, source, policy);
  ASSERT_TRUE(done) << done.error().message() << engine_.steward_detail();
  const auto types =
      engine_.query("SELECT column_type FROM (DESCRIBE SELECT * FROM " + source.reader() + ")");
  ASSERT_TRUE(types);
  for (std::size_t i = 0; i < source.columns().size(); ++i) {
    EXPECT_EQ(types->columns[0][i], Cell(source.columns()[i].type));
  }
  const auto most =
      engine_.query("SELECT CAST(max(b) AS DOUBLE), count(*) FROM " + source.reader());
  EXPECT_EQ(most->columns[0][0], Cell(90.0));
}

}  // namespace
}  // namespace tacit::anonymize
