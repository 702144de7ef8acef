#include "tacit/anonymize/choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;

class ChoiceTest : public ::testing::Test {
 protected:
  void SetUp() override { testing::write_patients(folder_ / "patients.csv"); }

  Result<Choice> chosen(const std::string& privacy, const Search::Watch& watch = {}) {
    const Policy policy = testing::patient_policy(privacy);
    Engine engine = testing::engine_with_files();
    auto data = Microdata::read(engine, folder_ / "patients.csv", policy);
    if (!data) return std::unexpected(data.error());
    return choose(*data, policy, watch);
  }

  Scratch folder_;
};

TEST_F(ChoiceTest, SatisfiesThePolicy) {
  const auto choice = chosen("k = 10\nsuppression = 0.1\n");
  ASSERT_TRUE(choice) << choice.error().message();
  EXPECT_GE(choice->risk.smallest, 10U);
  EXPECT_LE(choice->recoding.suppressed, 60U);
  EXPECT_EQ(choice->risk.rows + choice->recoding.suppressed, 600U);
  EXPECT_EQ(choice->nodes, 5U * 2 * 2);
  EXPECT_TRUE(choice->is_best);
}

TEST_F(ChoiceTest, SaysWhatNothingSatisfiesAndWhatWouldDo) {
  const auto choice = chosen("k = 1000\n");
  ASSERT_FALSE(choice);
  EXPECT_THAT(choice.error().message(), HasSubstr("breaks 1000-anonymity in 600 of 600 rows"));
  EXPECT_THAT(choice.error().message(), HasSubstr("this would do: k = 600"));
  const auto risky = chosen("average_risk = 0.001\n");
  ASSERT_FALSE(risky);
  EXPECT_THAT(risky.error().message(), HasSubstr("average risk of at most 0.001 in the whole"));
}

// Whom of a population a class of another method covers is not known.
TEST_F(ChoiceTest, ComparesWithAPopulationByLevelsAlone) {
  const Policy policy = testing::patient_policy("k = 10\n[method]\nkind = \"mondrian\"\n");
  Engine engine = testing::engine_with_files();
  auto data = Microdata::read(engine, folder_ / "patients.csv", policy);
  ASSERT_TRUE(data);
  EXPECT_TRUE(choose(*data, policy));
  data->records.population = data->records.counts;
  const auto refused = choose(*data, policy);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("need a global recoding"));
}

TEST_F(ChoiceTest, EndsWhereTheWatchSays) {
  const auto choice =
      chosen("k = 10\nsuppression = 0.1\n", [](const Search& search) { return !search.best(); });
  ASSERT_TRUE(choice) << choice.error().message();
  EXPECT_GE(choice->risk.smallest, 10U);
  EXPECT_THAT(chosen("k = 10\n", [](const Search&) { return false; }).error().message(),
              HasSubstr("more time"));
}

}  // namespace
}  // namespace tacit::anonymize
