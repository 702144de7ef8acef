#include "tacit/attacks/skewness.h"

#include <gtest/gtest.h>

#include "tacit/attacks/testing/released_rows.h"

namespace tacit::attacks {
namespace {

TEST(Skewness, GuessesTheMostFrequentValueOfTheClass) {
  // The example of Li and others: 1 in 100 has the illness, but half of one class.
  testing::Rows rows;
  for (int i = 0; i < 980; ++i) {
    rows.push_back({std::to_string(i / 98), i < 8 ? "positive" : "negative"});
  }
  rows.insert(rows.end(), 3, {"rare", "positive"});
  rows.insert(rows.end(), 1, {"rare", "negative"});
  const Report report = skewness(testing::released_rows({"age", "test"}, rows), 0);
  EXPECT_EQ(report.targets, 984U);
  EXPECT_EQ(report.successes, 980U - 8 + 3);
  EXPECT_DOUBLE_EQ(report.baseline, 973.0 / 984);
  EXPECT_EQ(report.finding,
            "the largest rise from the table to a class: test positive: 1.12% to 75%");
  EXPECT_EQ(report.victims.front().who, "age rare (4 rows)");
  // Two more right guesses of 984 could be chance.
  EXPECT_FALSE(report.beats_guessing());
}

TEST(Skewness, TellsNothingWhereClassesAreAsTheTable) {
  testing::Rows rows;
  for (int i = 0; i < 40; ++i) rows.push_back({std::to_string(i / 4), i % 4 == 0 ? "yes" : "no"});
  const Report report = skewness(testing::released_rows({"age", "test"}, rows), 0);
  EXPECT_EQ(report.successes, 30U);
  EXPECT_DOUBLE_EQ(report.baseline, 0.75);
  EXPECT_FALSE(report.beats_guessing());
  EXPECT_TRUE(report.victims.empty());
}

}  // namespace
}  // namespace tacit::attacks
