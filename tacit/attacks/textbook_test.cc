// The small tables of the textbooks: what each attack makes of them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tacit/anonymize/testing/adult.h"
#include "tacit/attacks/background_knowledge.h"
#include "tacit/attacks/composition.h"
#include "tacit/attacks/homogeneity.h"
#include "tacit/attacks/similarity.h"
#include "tacit/attacks/testing/released_rows.h"

namespace tacit::attacks {
namespace {

class TextbookTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto file = anonymize::testing::shared() / "vectors" / "textbook.json";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there: set TACIT_SHARED";
    vectors_ = nlohmann::json::parse(std::ifstream(file));
  }

  // The hospital's table as it was published, four rows a class.
  [[nodiscard]] ReleasedTable hospital() const {
    const auto& hospital = vectors_.at("hospital");
    std::map<std::string, std::string> condition_of;
    for (const auto& row : hospital.at("rows")) condition_of[row.front()] = row.back();
    testing::Rows rows;
    for (const auto& each : hospital.at("four_anonymous").at("classes")) {
      for (const auto& name : each.back()) {
        rows.push_back({each[0], each[1], each[2], each[3], condition_of.at(name)});
      }
    }
    return testing::released_rows({"age", "gender", "zip", "nationality", "condition"}, rows);
  }

  nlohmann::json vectors_;
};

TEST_F(TextbookTest, HospitalFallsToHomogeneity) {
  const Report report = homogeneity(hospital(), 0);
  EXPECT_EQ(report.targets, 12U);
  EXPECT_EQ(report.successes, 4U);
  EXPECT_DOUBLE_EQ(report.baseline, 5.0 / 12);
  ASSERT_EQ(report.victims.size(), 1U);
  EXPECT_EQ(report.victims[0].who,
            "age 30-39, gender Any, zip 1322*, nationality American (4 rows)");
  EXPECT_EQ(report.victims[0].learned, "condition Cancer");
}

TEST_F(TextbookTest, HospitalFallsToBackgroundKnowledge) {
  // One who knows that Cary's heart is well knows her infection.
  const Report report = background_knowledge(hospital(), 0, 1);
  EXPECT_EQ(report.successes, 8U);
  EXPECT_EQ(report.victims[0].who, "age 20-29, gender Any, zip 130**, nationality Any (4 rows)");
  EXPECT_EQ(report.victims[0].learned, "condition Heart disease or Viral infection");
}

TEST_F(TextbookTest, ThreeDiverseTableFallsToSimilarity) {
  testing::Rows rows;
  for (const auto& row : vectors_.at("three_diverse").at("rows")) {
    const std::string salary = row[2];
    EXPECT_EQ(salary.back(), 'K');
    rows.push_back({row[0], row[1], salary.substr(0, salary.size() - 1), row[3]});
  }
  const auto release = testing::released_rows({"zip", "age", "salary", "disease"}, rows, 2);
  EXPECT_EQ(homogeneity(release, 1).successes, 0U);
  const auto taxonomy = anonymize::Hierarchy::create({{"Gastric ulcer", "stomach", "*"},
                                                      {"Gastritis", "stomach", "*"},
                                                      {"Stomach cancer", "stomach", "*"},
                                                      {"Flu", "respiration", "*"},
                                                      {"Bronchitis", "respiration", "*"},
                                                      {"Pneumonia", "respiration", "*"}},
                                                     "disease")
                            .value();
  const auto disease = similarity(release, 1, taxonomy, 1);
  ASSERT_TRUE(disease) << disease.error().message();
  EXPECT_EQ(disease->successes, 3U);
  EXPECT_EQ(disease->victims.front().who, "zip 306**, age 2* (3 rows)");
  EXPECT_EQ(disease->victims.front().learned, "disease stomach");
  const auto salary = closeness(release, 0, 20);
  ASSERT_TRUE(salary) << salary.error().message();
  EXPECT_EQ(salary->successes, 3U);
  EXPECT_EQ(salary->victims.front().learned, "salary 20 to 40");
}

TEST_F(TextbookTest, TwoReleasesTogetherGiveTheTargetAway) {
  const auto& vectors = vectors_.at("composition");
  const std::vector<std::string> names = vectors.at("columns");
  const std::vector<ReleasedTable> releases{
      testing::released_rows(names, vectors.at("first").get<testing::Rows>()),
      testing::released_rows(names, vectors.at("second").get<testing::Rows>())};
  const auto& target = vectors.at("target");
  const std::string answer = vectors.at("answer").front();
  const auto people = testing::released_rows(
      names, {{target.at("gender"), std::to_string(target.at("age").get<int>()), target.at("zip"),
               answer}});
  std::vector<anonymize::Hierarchy> hierarchies;
  for (const auto& column : people.quasi_identifiers) {
    hierarchies.push_back(
        anonymize::build_hierarchy(anonymize::rule::Suppress{}, column.values, column.name)
            .value());
  }
  const Report report = composition(people, 0, hierarchies, releases);
  EXPECT_EQ(report.targets, 1U);
  EXPECT_EQ(report.successes, 1U);
  EXPECT_EQ(report.baseline, 0);
  ASSERT_EQ(report.victims.size(), 1U);
  EXPECT_EQ(report.victims[0].learned, "condition " + answer);
}

}  // namespace
}  // namespace tacit::attacks
