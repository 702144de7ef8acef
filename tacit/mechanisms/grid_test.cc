#include "tacit/mechanisms/grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tacit {
namespace {

TEST(Grid, ChoosesTheFinestThatFits) {
  EXPECT_EQ(Grid::with_at_most(Rational(1), 30)->exponent(), -30);
  EXPECT_EQ(Grid::with_at_most(Rational(3), 30)->exponent(), -28);
  EXPECT_EQ(Grid::with_at_most(Rational(4), 30)->exponent(), -28);
  EXPECT_EQ(Grid::with_at_most(*Rational::parse("0.1"), 10)->exponent(), -13);
  EXPECT_EQ(Grid::with_at_most(*Rational::parse("1/3"), 0)->exponent(), -1);
  for (const char* text :
       {"7", "0.3", "1e20", "1e-20", "123456789/1000", "1023/1024", "1025/1024"}) {
    const Rational value = *Rational::parse(text);
    const int exponent = Grid::with_at_most(value, 5)->exponent();
    EXPECT_LE(value, Rational::power_of_two(exponent + 5)) << text;
    EXPECT_GT(value, Rational::power_of_two(exponent + 4)) << text;
  }
}

TEST(Grid, RefusesWhatADoubleCannotHold) {
  EXPECT_FALSE(Grid::create(901));
  EXPECT_FALSE(Grid::create(-901));
  EXPECT_FALSE(Grid::with_at_most(Rational(0), 30));
  EXPECT_FALSE(Grid::with_at_most(Rational(-1), 30));
  EXPECT_FALSE(Grid::with_at_most(*Rational::parse("1e-300"), 30));
}

TEST(Grid, RoundsToTheNearestStepTiesAwayFromZero) {
  const Grid quarter = *Grid::create(-2);
  EXPECT_EQ(quarter.nearest(*Rational::parse("0.3")), 1);
  EXPECT_EQ(quarter.nearest(*Rational::parse("0.375")), 2);
  EXPECT_EQ(quarter.nearest(*Rational::parse("-0.375")), -2);
  EXPECT_EQ(quarter.nearest(*Rational::parse("-0.3")), -1);
  EXPECT_EQ(quarter.to_real(-7), -1.75);
}

TEST(Grid, WholeNumbersAreTheNearestAndSaturate) {
  EXPECT_EQ(Grid::create(-2)->to_whole(5), 1);
  EXPECT_EQ(Grid::create(-2)->to_whole(6), 2);
  EXPECT_EQ(Grid::create(-2)->to_whole(-6), -1);
  EXPECT_EQ(Grid::create(-2)->to_whole(-7), -2);
  EXPECT_EQ(Grid::create(3)->to_whole(-7), -56);
  EXPECT_EQ(Grid().to_whole(int128{1} << 100), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Grid::create(70)->to_whole(-1), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Grid::create(-300)->to_whole(int128{1} << 100), 0);
}

TEST(Grid, AHalfWidthIsNeverRoundedDown) {
  const std::int64_t steps = (std::int64_t{1} << 54) + 1;
  EXPECT_GE(Rational::exactly(Grid().to_real_above(steps)).value(), Rational(steps));
}

}  // namespace
}  // namespace tacit
