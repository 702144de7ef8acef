#include "tacit/train/schedule.h"

#include <gtest/gtest.h>

namespace tacit::train {
namespace {

TEST(Schedule, IsOneByDefault) {
  const Schedule always;
  EXPECT_TRUE(always.is_constant());
  EXPECT_EQ(always.at(1'000'000), Rational(1));
  EXPECT_EQ(always.to_text(), "1");
}

TEST(Schedule, HoldsEachLevelUntilTheNext) {
  const auto schedule = Schedule::of_levels({{0, 3}, {10, 2}, {12, 1}});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->at(0), Rational(3));
  EXPECT_EQ(schedule->at(9), Rational(3));
  EXPECT_EQ(schedule->at(10), Rational(2));
  EXPECT_EQ(schedule->at(11), Rational(2));
  EXPECT_EQ(schedule->at(99), Rational(1));
  EXPECT_EQ(schedule->to_text(), "3, from step 10 2, from step 12 1");
}

TEST(Schedule, GoesAlongALineOrByEqualFactors) {
  const auto line = Schedule::linear(*Rational::ratio(1, 2), 100, 6);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->levels().size(), 6U);
  EXPECT_EQ(line->at(0), Rational(1));
  EXPECT_EQ(line->at(20), *Rational::parse("0.9"));
  EXPECT_EQ(line->at(99), *Rational::ratio(1, 2));
  const auto powers = Schedule::exponential(4, 3);
  ASSERT_TRUE(powers);
  EXPECT_EQ(powers->levels().size(), 3U) << "no more levels than steps";
  EXPECT_EQ(powers->at(1), Rational(2));
  EXPECT_EQ(powers->at(2), Rational(4));
}

TEST(Schedule, RefusesWhatIsNoFunctionOfTheStep) {
  EXPECT_FALSE(Schedule::of_levels({}));
  EXPECT_FALSE(Schedule::of_levels({{1, 1}}));
  EXPECT_FALSE(Schedule::of_levels({{0, 1}, {5, 2}, {5, 3}}));
  EXPECT_FALSE(Schedule::of_levels({{0, 0}}));
  EXPECT_FALSE(Schedule::linear(0, 10));
  EXPECT_FALSE(Schedule::exponential(2, 0));
}

}  // namespace
}  // namespace tacit::train
