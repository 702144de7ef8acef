#include "tacit/attacks/linkage.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "tacit/anonymize/testing/adult.h"
#include "tacit/attacks/testing/text_rows.h"

namespace tacit::attacks {
namespace {

using testing::Rows;
using testing::text_rows;

TEST(Linkage, ClaimsRecordsThatAgreeWithOnePersonOnly) {
  const LinkageTask task{
      .release = text_rows({"age", "zip", "key"}, {{"30-39", "021**", "1"},
                                                   {"40-49", "021**", "2"},
                                                   {"40-49", "021**", "3"},
                                                   {">=90", "0213*", "4"}}),
      .outside = text_rows(
          {"age", "zip", "key"},
          {{"35", "02139", "1"}, {"41", "02138", "2"}, {"49", "02199", "3"}, {"89", "02139", "4"}}),
      .has_truth = true};
  const auto linked = link(task);
  ASSERT_TRUE(linked);
  ASSERT_EQ(linked->claims.size(), 1);
  EXPECT_EQ(linked->claims[0].record, 0);
  EXPECT_EQ(linked->claims[0].person, 0);
  EXPECT_TRUE(linked->claims[0].is_right);
  EXPECT_EQ(linked->report.targets, 4);
  EXPECT_EQ(linked->report.successes, 1);
  EXPECT_EQ(linked->unmatched, 1);
  EXPECT_DOUBLE_EQ(linked->expected, 1 + 0.5 + 0.5);
  EXPECT_DOUBLE_EQ(linked->report.baseline, 0.25);
}

TEST(Linkage, WithoutTheTruthSuccessesAreClaims) {
  const LinkageTask task{.release = text_rows({"zip"}, {{"02139"}, {"0213*"}, {""}}),
                         .outside = text_rows({"zip"}, {{"02139"}, {"02138"}})};
  const auto linked = link(task);
  ASSERT_TRUE(linked);
  EXPECT_FALSE(linked->report.checked);
  EXPECT_EQ(linked->report.successes, 1);
}

TEST(Linkage, ExactlyIsByTheTextAlone) {
  LinkageTask task{.release = text_rows({"age"}, {{"30-39"}, {"35"}, {"35.0"}}),
                   .outside = text_rows({"age"}, {{"35"}})};
  EXPECT_EQ(link(task)->claims.size(), 3);
  task.is_exact = true;
  EXPECT_EQ(link(task)->claims.size(), 1);
}

TEST(Linkage, AWrongClaimIsNoSuccess) {
  // The person of the record is not in the outside table, somebody like her is.
  const LinkageTask task{.release = text_rows({"zip", "key"}, {{"02139", "7"}}),
                         .outside = text_rows({"zip", "key"}, {{"02139", "8"}}),
                         .has_truth = true};
  const auto linked = link(task);
  EXPECT_EQ(linked->claims.size(), 1);
  EXPECT_EQ(linked->report.successes, 0);
}

TEST(Linkage, ReadsWordsOfATaxonomy) {
  LinkageTask task{.release = text_rows({"country"}, {{"Europe"}, {"Asia"}}),
                   .outside = text_rows({"country"}, {{"France"}, {"Japan"}, {"China"}})};
  EXPECT_TRUE(link(task)->claims.empty());
  task.hierarchies = {*anonymize::Hierarchy::create(
      {{"France", "Europe"}, {"Japan", "Asia"}, {"China", "Asia"}}, "country")};
  EXPECT_EQ(link(task)->claims.size(), 1);
}

// The governor's case (Sweeney 1997): a medical release without names, and a voter list of the
// town.
TEST(Linkage, BirthDateSexAndZipNameAlmostEverybodyInATown) {
  std::mt19937_64 generator(54);
  Rows patients;
  Rows coarse;
  Rows voters;
  for (int person = 0; person < 54'000; ++person) {
    const auto year = 1916 + (generator() % 80);
    const auto month = 1 + (generator() % 12);
    const auto day = 1 + (generator() % 28);
    const std::string born = fmt::format("{}-{:02}-{:02}", year, month, day);
    const std::string sex = generator() % 2 == 0 ? "F" : "M";
    const std::string zip = fmt::format("0213{}", 7 + (generator() % 6));
    const std::string key = fmt::format("{}", person);
    voters.push_back({born, sex, zip, key});
    if (person % 9 == 0) patients.push_back({born, sex, zip, key});
    if (person % 9 == 0) coarse.push_back({fmt::format("{}", year), sex, "021**", key});
  }
  const std::vector<std::string> names{"born", "sex", "zip", "key"};
  LinkageTask task{.release = text_rows(names, patients),
                   .outside = text_rows(names, voters),
                   .has_truth = true};
  const auto linked = link(task);
  ASSERT_TRUE(linked);
  // 54,000 people in 80 * 336 * 2 * 6 cells: a person is alone with probability exp(-0.167) =
  // 0.846.
  EXPECT_NEAR(linked->report.share().value, 0.846, 0.03);
  EXPECT_EQ(linked->report.successes, linked->claims.size());
  EXPECT_TRUE(linked->report.beats_guessing());

  // Years and three digits hide each among hundreds.
  task.release = text_rows(names, coarse);
  const auto hidden = link(task);
  EXPECT_TRUE(hidden->claims.empty());
  EXPECT_NEAR(hidden->expected, 160.0 * 6000 / 54'000, 1);
}

// Linked to itself, Adult's unique rows are claimed, and a guess among those who agree is right as
// often as the prosecutor's average risk of the reference values says.
TEST(Linkage, AdultLinkedToItselfIsItsProsecutorRisk) {
  const auto file = anonymize::testing::shared() / "data" / "adult_arx" / "adult.csv";
  if (!std::filesystem::exists(file)) {
    GTEST_SKIP() << file << " is not there; TACIT_SHARED names the folder of shared data";
  }
  TextTable table = TextTable::read(file, *column_names(file)).value();
  TextTable::Column key{.name = "key"};
  for (std::uint32_t row = 0; row < table.rows(); ++row) {
    key.texts.push_back(fmt::format("{}", row));
    key.codes.push_back(row);
  }
  table.columns.push_back(std::move(key));
  const auto linked = link({.release = table, .outside = table, .has_truth = true});
  ASSERT_TRUE(linked);
  EXPECT_NEAR(linked->report.share().value, 0.5142895033485844, 1e-12);
  EXPECT_EQ(linked->report.successes, linked->claims.size());
  EXPECT_NEAR(linked->expected / static_cast<double>(linked->report.targets), 0.6465751607983555,
              1e-9);
}

TEST(Linkage, RefusesTablesWithoutACommonColumn) {
  const LinkageTask task{.release = text_rows({"key"}, {{"1"}}),
                         .outside = text_rows({"key"}, {{"1"}}),
                         .has_truth = true};
  EXPECT_FALSE(link(task));
}

}  // namespace
}  // namespace tacit::attacks
