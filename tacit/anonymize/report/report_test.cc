#include "tacit/anonymize/report/report.h"

#include <gtest/gtest.h>

#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

class ReportTest : public ::testing::Test {
 protected:
  void SetUp() override { testing::write_patients(file()); }

  [[nodiscard]] std::filesystem::path file() const { return folder_ / "patients.csv"; }
  [[nodiscard]] Microdata read(const Policy& policy) {
    return Microdata::read(engine_, file(), policy, Microdata::Sensitive::kAlways).value();
  }

 private:
  Engine engine_ = testing::engine_with_files();
  Scratch folder_;
};

TEST_F(ReportTest, OfATableAsItIs) {
  const Microdata data = read(testing::patient_policy("k = 5\n"));
  const Report report = report_of(data, {.sampling_fractions = {0.2}});
  EXPECT_FALSE(report.published);
  EXPECT_EQ(report.table.risk.rows, 600U);
  EXPECT_EQ(report.table.sizes.rows(), 600U);
  ASSERT_EQ(report.table.population.size(), 1U);
  EXPECT_EQ(report.table.population[0].sampling_fraction, 0.2);
  ASSERT_EQ(report.sensitive, std::vector<std::string>{"illness"});
  EXPECT_EQ(report.table.disclosures[0].rows, 600U);
  ASSERT_EQ(report.columns.size(), 3U);
  EXPECT_EQ(report.columns[0].name, "age");
  EXPECT_EQ(report.columns[0].utility.granularity, 1);
  EXPECT_TRUE(report.columns[0].distribution.is_ordered);
  EXPECT_EQ(report.columns[0].distribution.bars.size(), 40U);
  ASSERT_TRUE(report.table.special);
  EXPECT_EQ(report.table.special->largest, 2U);  // of three columns
}

TEST_F(ReportTest, OfAPublishedTable) {
  Policy policy = testing::patient_policy("k = 10\nsuppression = 0.1\n");
  policy.target = "illness";
  const Microdata data = read(policy);
  const Choice choice = choose(data, policy).value();
  const Report report = report_of(data, policy, choice, {});
  ASSERT_TRUE(report.published);
  const TableReport& after = report.published->table;
  EXPECT_EQ(after.risk.rows, choice.risk.rows);
  EXPECT_EQ(after.risk.classes, choice.risk.classes);
  EXPECT_EQ(after.risk.smallest, choice.risk.smallest);
  EXPECT_EQ(after.disclosures[0].rows, choice.risk.rows);
  EXPECT_EQ(after.disclosures[0].certain, 0U);  // 2-diverse
  EXPECT_LE(after.disclosures[0].average, report.table.disclosures[0].average);
  EXPECT_EQ(after.special->special, 0U);  // nobody is alone
  EXPECT_EQ(after.population[0].uniques.dankar(), 0);
  ASSERT_TRUE(report.published->classification);
  EXPECT_GT(report.published->classification->baseline, 0.3);
  EXPECT_EQ(report.published->lattice.size(), choice.nodes);
  double before = 0;
  double published = 0;
  for (const Bar& bar : report.columns[0].distribution.bars) {
    before += bar.before;
    published += bar.after;
  }
  EXPECT_DOUBLE_EQ(before, 600);
  EXPECT_NEAR(published, static_cast<double>(choice.risk.rows), 1e-9);
}

TEST_F(ReportTest, OfClassesThatShowWhatTheyLike) {
  Policy policy = testing::patient_policy("k = 10\n");
  policy.method = rule::Mondrian{};
  policy.target = "sex";
  const Microdata data = read(policy);
  const Choice choice = choose(data, policy).value();
  ASSERT_TRUE(choice.partition);
  const Report report = report_of(data, policy, choice, {});
  const TableReport& after = report.published->table;
  EXPECT_EQ(after.risk.rows, choice.risk.rows);
  EXPECT_EQ(after.risk.classes, choice.risk.classes);
  EXPECT_EQ(after.risk.smallest, choice.risk.smallest);
  EXPECT_TRUE(report.published->lattice.empty());
  EXPECT_TRUE(report.published->classification);
  ASSERT_EQ(report.columns.size(), 3U);
  for (const ColumnReport& column : report.columns) {
    EXPECT_FALSE(column.utility.level);
    EXPECT_GE(column.utility.granularity, 0);
    EXPECT_LE(column.utility.granularity, 1);
    double published = 0;
    for (const Bar& bar : column.distribution.bars) published += bar.after;
    EXPECT_NEAR(published, static_cast<double>(choice.risk.rows), 1e-6);
  }
}

TEST_F(ReportTest, NamesNoSensitiveColumnThatWasNotCounted) {
  Engine engine = testing::engine_with_files();
  Policy policy = testing::patient_policy("k = 10\n");
  std::erase_if(policy.criteria,
                [](const CriterionRule& rule) { return sensitive_column(rule).has_value(); });
  policy.target = "illness";
  const Microdata data = Microdata::read(engine, file(), policy).value();
  const Report report = report_of(data, policy, choose(data, policy).value(), {});
  EXPECT_TRUE(report.sensitive.empty());
  EXPECT_FALSE(report.published->classification);
}

}  // namespace
}  // namespace tacit::anonymize
