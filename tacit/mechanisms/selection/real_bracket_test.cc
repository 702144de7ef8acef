#include <gtest/gtest.h>

#include <cmath>

#include "tacit/mechanisms/selection/real_bracket_internal.h"
#include "tacit/mechanisms/selection/testing/run_mechanism.h"

namespace tacit {
namespace {

using testing::number;

double scaled(const mpz_class& value, const RealBracket& bracket) {
  return (Rational(mpq_class(value)) *
          Rational::power_of_two(-static_cast<std::int64_t>(bracket.precision())))
      .approximate();
}

void expect_near(const RealBracket& bracket, double truth) {
  EXPECT_LE(bracket.lower(), bracket.upper());
  EXPECT_NEAR(scaled(bracket.lower(), bracket), truth, 1e-14 * (1 + truth));
  EXPECT_NEAR(scaled(bracket.upper(), bracket), truth, 1e-14 * (1 + truth));
}

TEST(RealBracket, HoldsRationalsBetweenNeighbouringSteps) {
  const RealBracket third = RealBracket::of(number("1/3"), 4);
  EXPECT_EQ(third.lower(), 5);
  EXPECT_EQ(third.upper(), 6);
  const RealBracket quarter = RealBracket::of(number("1/4"), 4);
  EXPECT_EQ(quarter.lower(), 4);
  EXPECT_EQ(quarter.upper(), 4);
}

TEST(RealBracket, FollowsTheOperations) {
  const RealBracket a = RealBracket::of(number("0.7"), 100);
  const RealBracket b = RealBracket::of(number("0.3"), 100);
  expect_near(a + b, 1.0);
  expect_near(a - b, 0.4);
  expect_near(a * b, 0.21);
  expect_near(a / b, 0.7 / 0.3);
  expect_near(min(a, b), 0.3);
  EXPECT_TRUE(certainly_at_most(b, a));
  EXPECT_FALSE(certainly_at_most(a, b));
}

TEST(RealBracket, ADifferenceNeverFallsBelowZero) {
  const RealBracket third = RealBracket::of(number("1/3"), 8);
  EXPECT_EQ((third - third).lower(), 0);
}

TEST(RealBracket, ExponentialsNarrowWithPrecision) {
  for (const char* exponent : {"0", "1e-9", "0.1", "1", "7.3", "40"}) {
    expect_near(RealBracket::exp_minus(number(exponent), 200),
                std::exp(-number(exponent).approximate()));
    const RealBracket coarse = RealBracket::exp_minus(number(exponent), 40);
    const RealBracket fine = RealBracket::exp_minus(number(exponent), 400);
    EXPECT_LE(coarse.lower() << 360, fine.lower());
    EXPECT_GE(coarse.upper() << 360, fine.upper());
  }
}

TEST(RealBracket, ATinyExponentialIsBetweenZeroAndOneStep) {
  const RealBracket tiny = RealBracket::exp_minus(number("1e30"), 64);
  EXPECT_EQ(tiny.lower(), 0);
  EXPECT_EQ(tiny.upper(), 1);
}

}  // namespace
}  // namespace tacit
