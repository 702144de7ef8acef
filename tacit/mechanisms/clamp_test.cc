#include "tacit/mechanisms/clamp.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <vector>

namespace tacit {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Clamp make(const char* lower, const char* upper, int exponent) {
  return *Clamp::create(*Rational::parse(lower), *Rational::parse(upper), *Grid::create(exponent));
}

TEST(Clamp, RoundsInsideAndClampsOutside) {
  const Clamp clamp = make("-1", "2.5", -1);
  EXPECT_EQ(clamp.lower(), -2);
  EXPECT_EQ(clamp.upper(), 5);
  EXPECT_EQ(clamp(0.6), 1);
  EXPECT_EQ(clamp(0.25), 1);
  EXPECT_EQ(clamp(-0.25), -1);
  EXPECT_EQ(clamp(1e300), 5);
  EXPECT_EQ(clamp(-1e300), -2);
  EXPECT_EQ(clamp(kInfinity), 5);
  EXPECT_EQ(clamp(-kInfinity), -2);
}

TEST(Clamp, NanIsTheValueInBoundsNearestToZero) {
  EXPECT_EQ(make("-1", "1", -10)(kNan), 0);
  EXPECT_EQ(make("10", "20", 0)(kNan), 10);
  EXPECT_EQ(make("-20", "-10", 0)(-kNan), -10);
}

TEST(Clamp, IntegersOnEveryGrid) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  const Clamp whole = make("-1000", "1000", 0);
  EXPECT_EQ(whole(std::int64_t{7}), 7);
  EXPECT_EQ(whole(kMost), 1000);
  EXPECT_EQ(whole(kLeast), -1000);
  const Clamp coarse = make("-1000", "1000", 2);
  EXPECT_EQ(coarse(std::int64_t{5}), 1);
  EXPECT_EQ(coarse(std::int64_t{6}), 2);
  EXPECT_EQ(coarse(std::int64_t{-6}), -2);
  EXPECT_EQ(coarse(kLeast), -250);
  const Clamp fine = make("-1000", "1000", -3);
  EXPECT_EQ(fine(std::int64_t{5}), 40);
  EXPECT_EQ(fine(kMost), 8000);
  EXPECT_EQ(fine(kLeast), -8000);
  const Clamp finest = make("-1/1000000", "1/1000000", -70);
  EXPECT_EQ(finest(std::int64_t{1}), finest.upper());
  EXPECT_EQ(finest(std::int64_t{-1}), finest.lower());
  EXPECT_EQ(finest(std::int64_t{0}), 0);
  const Clamp coarsest = make("-1e30", "1e30", 63);
  EXPECT_EQ(coarsest(kMost), 1);
  EXPECT_EQ(coarsest(std::int64_t{1} << 61), 0);
}

TEST(Clamp, RefusesBoundsWithoutMeaning) {
  EXPECT_FALSE(Clamp::create(Rational(1), Rational(0), Grid()));
  EXPECT_FALSE(Clamp::create(Rational(0), *Rational::parse("1e30"), Grid()));
  EXPECT_TRUE(Clamp::create(Rational(3), Rational(3), Grid()));
}

RC_GTEST_PROP(Clamp, StaysInBoundsForEveryBitPatternAndRoundingMode,
              (std::uint64_t bits, std::int16_t a, std::int16_t b)) {
  const int exponent = *rc::gen::inRange(-40, 41);
  const Clamp clamp =
      *Clamp::create(Rational(std::min(a, b)), Rational(std::max(a, b)), *Grid::create(exponent));
  const int mode = *rc::gen::element(FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO);
  std::fesetround(mode);
  const std::int64_t steps = clamp(std::bit_cast<double>(bits));
  std::fesetround(FE_TONEAREST);
  RC_ASSERT(steps >= clamp.lower());
  RC_ASSERT(steps <= clamp.upper());
}

RC_GTEST_PROP(Clamp, RealsAndIntegersAgree, (std::int32_t value, std::int32_t a, std::int32_t b)) {
  const int exponent = *rc::gen::inRange(-20, 40);
  const Clamp clamp =
      *Clamp::create(Rational(std::min(a, b)), Rational(std::max(a, b)), *Grid::create(exponent));
  RC_ASSERT(clamp(static_cast<double>(value)) == clamp(std::int64_t{value}));
}

RC_GTEST_PROP(Clamp, SumsDoNotDependOnOrder, (std::vector<double> values)) {
  const Clamp clamp = make("-1e6", "1e6", -30);
  std::vector<double> reversed(values.rbegin(), values.rend());
  RC_ASSERT(clamp.sum(values) == clamp.sum(reversed));
}

TEST(Saturate, IsTheNearestWord) {
  constexpr int128 kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(saturate(kMost), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(saturate(kMost + 1), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(saturate(-kMost - 2), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(saturate(-5), -5);
}

}  // namespace
}  // namespace tacit
