#include "tacit/attacks/value_recovery.h"

#include <gtest/gtest.h>

#include "tacit/attacks/testing/told_progress.h"

namespace tacit::attacks {
namespace {

TEST(ValueRecovery, ExactSumsAreSubtracted) {
  const auto file =
      SumsFile::parse("sum,Ann,Bob,Cleo\n310,1,1,1\n220,1,0,1\ntruth,100,90,120\n", "grades.csv");
  ASSERT_TRUE(file);
  const auto found = recover_values(*file, false);
  ASSERT_TRUE(found) << found.error().message();
  ASSERT_EQ(found->size(), 1);
  EXPECT_EQ(found->front().known(), 1);
  const Report report = judged(*file, found->front(), false);
  EXPECT_EQ(report.successes, 1);
  EXPECT_EQ(report.targets, 3);
  EXPECT_DOUBLE_EQ(report.baseline, 1.0 / 3);
  EXPECT_TRUE(report.beats_guessing());
  EXPECT_EQ(report.victims.at(0).who, "Bob");
  EXPECT_EQ(report.victims.at(0).learned, "90");
}

// A value that is certain beats a guess; one that is wrong is no success.
TEST(ValueRecovery, NoisySumsOfBitsAreTriedInThreeWays) {
  const auto file = SumsFile::parse(
      "sum,noise,Ann,Bob,Cleo\n0.9,0.1,1,0,0\n1.2,0.1,1,1,0\n1.1,0.1,0,1,1\ntruth,,1,0,0\n",
      "bits.csv");
  ASSERT_TRUE(file);
  testing::ToldProgress progress;
  const auto found = recover_values(*file, true, progress.listener());
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_TRUE(progress.was_told() && progress.is_whole());
  ASSERT_EQ(found->size(), 3);
  for (const RecoveredValues& each : *found) {
    const Report report = judged(*file, each, true);
    EXPECT_EQ(each.known(), 3) << each.attack;
    EXPECT_EQ(report.successes, 2) << each.attack;
  }
}

TEST(ValueRecovery, WithoutTheTruthValuesAreClaims) {
  const auto file = SumsFile::parse("sum,noise,Ann\n0.9,0.1,1\n", "bits.csv");
  const auto found = recover_values(*file, true);
  ASSERT_TRUE(found);
  const Report report = judged(*file, found->at(1), true);
  EXPECT_FALSE(report.checked);
  EXPECT_EQ(report.successes, 1);
  EXPECT_DOUBLE_EQ(report.baseline, 0.5);
}

}  // namespace
}  // namespace tacit::attacks
