#include "tacit/attacks/minimality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tacit/anonymize/testing/small_table.h"

namespace tacit::attacks {
namespace {

using anonymize::testing::engine_with_files;
using ::testing::HasSubstr;

// A table of one quasi-identifier, whose values "one" and "two" become "*".
class MinimalityTest : public ::testing::Test {
 protected:
  Result<Report> attack(const std::vector<std::pair<std::string, std::string>>& rows,
                        const std::string& criteria, const std::string& privacy = "k = 2\n") {
    std::ofstream file(folder_ / "table.csv");
    file << "place,illness\n";
    for (const auto& [place, illness] : rows) file << place << ',' << illness << '\n';
    file.close();
    const auto policy = anonymize::Policy::parse(
                            "[columns]\nplace = \"quasi-identifier\"\n"
                            "illness = {role = \"sensitive\"" +
                                criteria + "}\n[privacy]\n" + privacy,
                            "policy.toml")
                            .value();
    Engine engine = engine_with_files();
    const auto data = anonymize::Microdata::read(engine, folder_ / "table.csv", policy).value();
    const auto choice = anonymize::choose(data, policy).value();
    level_ = choice.recoding.node[0];
    return minimality(data, policy, choice, {.worlds = 10000});
  }

  Scratch folder_;
  std::size_t level_ = 0;
};

TEST_F(MinimalityTest, TellsWhoMadeTheFinerTableFail) {
  // No value may have more than half of a class. All but HIV are there once, so only a class of the
  // two people of "one" who both have HIV can have refused the finer table (Wong and others, 2007).
  const auto report = attack({{"one", "HIV"},
                              {"one", "HIV"},
                              {"two", "flu"},
                              {"two", "gout"},
                              {"two", "cold"},
                              {"two", "cough"}},
                             ", criteria = {alpha = 0.5}");
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(level_, 1U);
  EXPECT_EQ(report->targets, 6U);
  // Both of "one", and one of the four others.
  EXPECT_EQ(report->successes, 3U);
  EXPECT_DOUBLE_EQ(report->baseline, 2.0 / 6);
  ASSERT_FALSE(report->victims.empty());
  EXPECT_EQ(report->victims[0].who, "place one");
  EXPECT_EQ(report->victims[0].learned, "illness HIV: 33.3% to 100%");
  // One deal of fifteen.
  EXPECT_THAT(report->finding,
              HasSubstr("of the worlds are left; the largest rise of a belief: illness HIV"));
}

TEST_F(MinimalityTest, CountsWorldsAsTheyAre) {
  // Two values: of 15 deals of two HIV among six, the finer table fails where "one" has none (6) or
  // both (1): its people have HIV with chance 1/7, and flu with 6/7 instead of 2/3.
  const auto report = attack({{"one", "flu"},
                              {"one", "flu"},
                              {"two", "HIV"},
                              {"two", "HIV"},
                              {"two", "flu"},
                              {"two", "flu"}},
                             ", criteria = {distinct_l = 2}");
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(level_, 1U);
  ASSERT_EQ(report->victims.size(), 1U);
  double belief = 0;
  ASSERT_EQ(
      std::sscanf(report->victims[0].learned.c_str(), "illness flu: 66.7%% to %lf%%", &belief), 1);
  // Six deviations of a share of the 4667 worlds that are left on average.
  EXPECT_NEAR(belief / 100, 6.0 / 7, 6 * std::sqrt(6.0 / 49 / 4000));
}

TEST_F(MinimalityTest, TellsNothingWhereNothingFinerWasRefusedForValues) {
  // k alone refuses the finer table, whatever the values are.
  const auto report =
      attack({{"one", "HIV"}, {"two", "flu"}, {"two", "gout"}, {"two", "cold"}, {"two", "HIV"}},
             ", criteria = {distinct_l = 2}");
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(level_, 1U);
  EXPECT_THAT(report->finding, HasSubstr("100% of the worlds"));
  EXPECT_EQ(report->successes, 2U);
  EXPECT_DOUBLE_EQ(report->baseline, 2.0 / 5);
  EXPECT_TRUE(report->victims.empty());
}

TEST_F(MinimalityTest, IsRefusedWhereValuesDoNotDecide) {
  const auto report = attack({{"one", "HIV"}, {"two", "flu"}}, "");
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message(), HasSubstr("no criterion looks at sensitive values"));
}

}  // namespace
}  // namespace tacit::attacks
