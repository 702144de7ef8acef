#include "tacit/attacks/similarity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/attacks/testing/released_rows.h"

namespace tacit::attacks {
namespace {

using ::testing::HasSubstr;

TEST(Similarity, FindsClassesUnderOneNode) {
  const auto taxonomy =
      anonymize::Hierarchy::create(
          {{"ulcer", "stomach", "*"}, {"gastritis", "stomach", "*"}, {"flu", "lungs", "*"}},
          "illness")
          .value();
  const auto release = testing::released_rows(
      {"age", "illness"},
      {{"20", "ulcer"}, {"20", "gastritis"}, {"30", "flu"}, {"30", "ulcer"}, {"30", "flu"}});
  const auto report = similarity(release, 0, taxonomy, 1);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->successes, 2U);
  EXPECT_DOUBLE_EQ(report->baseline, 0.6);
  EXPECT_TRUE(report->beats_guessing());
  EXPECT_EQ(report->victims.front().learned, "illness stomach");
  EXPECT_THAT(similarity(release, 0, taxonomy, 2).error().message(),
              HasSubstr("tells no values apart"));
  const auto other = testing::released_rows({"age", "illness"}, {{"20", "gout"}});
  EXPECT_THAT(similarity(other, 0, taxonomy, 1).error().message(),
              HasSubstr("does not hold 'gout'"));
}

TEST(Similarity, TakesTheTaxonomyOfThePolicy) {
  const auto release = testing::released_rows({"age", "illness"}, {{"20", "A10"}, {"20", "A11"}});
  anonymize::Policy policy;
  policy.columns.push_back({.name = "illness", .role = anonymize::Role::kSensitive});
  EXPECT_FALSE(taxonomy_of(release.sensitive[0], policy).value());
  policy.columns[0].hierarchy = anonymize::rule::Prefix{.lengths = {1}};
  const auto taxonomy = taxonomy_of(release.sensitive[0], policy);
  ASSERT_TRUE(taxonomy && *taxonomy);
  EXPECT_EQ((*taxonomy)->label(1, 0), "A*");
}

TEST(Closeness, FindsClassesOfCloseNumbers) {
  const auto release = testing::released_rows({"age", "pay"}, {{"20", "1000"},
                                                               {"20", "1200.5"},
                                                               {"30", "1100"},
                                                               {"30", "9000"},
                                                               {"40", "1000"},
                                                               {"40", ""}});
  const auto report = closeness(release, 0, 250);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->successes, 2U);
  // Four of the six earn between 1000 and 1250.
  EXPECT_DOUBLE_EQ(report->baseline, 4.0 / 6);
  EXPECT_EQ(report->victims.front().learned, "pay 1000 to 1200.5");
  EXPECT_EQ(closeness(release, 0, 8000)->successes, 4U);
  EXPECT_EQ(closeness(release, 0, 200)->successes, 0U);
  EXPECT_EQ(number_range(release, 0)->greatest, 9000);
  const auto words = testing::released_rows({"age", "pay"}, {{"20", "much"}});
  EXPECT_THAT(closeness(words, 0, 1).error().message(), HasSubstr("no numbers"));
  EXPECT_FALSE(number_range(words, 0));
}

}  // namespace
}  // namespace tacit::attacks
