#include "tacit/attacks/homogeneity.h"

#include <gtest/gtest.h>

#include "tacit/attacks/testing/released_rows.h"

namespace tacit::attacks {
namespace {

TEST(Homogeneity, FindsClassesOfOneValue) {
  const auto release = testing::released_rows(
      {"age", "illness"}, {{"20", "flu"}, {"20", "flu"}, {"30", "flu"}, {"30", "gout"}});
  const Report report = homogeneity(release, 0);
  EXPECT_EQ(report.attack, "homogeneity");
  EXPECT_EQ(report.targets, 4U);
  EXPECT_EQ(report.successes, 2U);
  EXPECT_DOUBLE_EQ(report.baseline, 0.75);
  EXPECT_TRUE(report.beats_guessing());
  ASSERT_EQ(report.victims.size(), 1U);
  EXPECT_EQ(report.victims[0].who, "age 20 (2 rows)");
  EXPECT_EQ(report.victims[0].learned, "illness flu");
}

TEST(Homogeneity, OfAColumnOfOneValueTellsNothing) {
  const auto release = testing::released_rows({"age", "illness"}, {{"20", "flu"}, {"30", "flu"}});
  EXPECT_EQ(homogeneity(release, 0).successes, 2U);
  EXPECT_FALSE(homogeneity(release, 0).beats_guessing());
}

TEST(Homogeneity, NamesNoMoreVictimsThanAllowed) {
  testing::Rows rows;
  for (int i = 0; i < 50; ++i) rows.push_back({std::to_string(i), i % 2 == 0 ? "flu" : "gout"});
  const Report report = homogeneity(testing::released_rows({"age", "illness"}, rows), 0);
  EXPECT_EQ(report.successes, 50U);
  EXPECT_EQ(report.victims.size(), kMostVictims);
}

}  // namespace
}  // namespace tacit::attacks
