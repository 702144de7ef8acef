#include "tacit/base/rational.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

namespace tacit {
namespace {

TEST(Rational, ReadsWhatPeopleWrite) {
  EXPECT_EQ(Rational::parse("3").value(), Rational(3));
  EXPECT_EQ(Rational::parse("-0.25").value(), Rational::ratio(-1, 4).value());
  EXPECT_EQ(Rational::parse("1e-5").value(), Rational::ratio(1, 100000).value());
  EXPECT_EQ(Rational::parse("+2.5E1").value(), Rational(25));
  EXPECT_EQ(Rational::parse("6/8").value(), Rational::ratio(3, 4).value());
}

TEST(Rational, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "-", ".", "e5", "1e", "1/0", "1/-2", "0x10", "nan", "inf",
                           "1e999999", "1 2", "--1", "1/2/3", "1e5.5"}) {
    EXPECT_FALSE(Rational::parse(text).has_value()) << text;
  }
  EXPECT_FALSE(Rational::parse(std::string(10000, '1')).has_value());
  EXPECT_FALSE(Rational::exactly(std::nan("")).has_value());
  EXPECT_FALSE(Rational::decimal(std::numeric_limits<double>::infinity()).has_value());
  EXPECT_FALSE(Rational::ratio(1, 0).has_value());
}

TEST(Rational, ATenthIsATenth) {
  const Rational tenth = Rational::decimal(0.1).value();
  Rational sum;
  for (int i = 0; i < 10; ++i) sum = sum + tenth;
  EXPECT_EQ(sum, Rational(1));
  EXPECT_NE(Rational::exactly(0.1).value(), tenth);
}

TEST(Rational, BoundsEncloseTheValue) {
  const Rational third = Rational::ratio(1, 3).value();
  EXPECT_LT(third.lower(), third.upper());
  EXPECT_EQ(std::nextafter(third.lower(), 1.0), third.upper());
  EXPECT_EQ(Rational::power_of_two(-1074).lower(), 0x1p-1074);
  EXPECT_EQ(Rational::power_of_two(-1080).lower(), 0.0);
  EXPECT_EQ(Rational::power_of_two(-1080).upper(), 0x1p-1074);
  EXPECT_EQ(Rational::power_of_two(2000).lower(), std::numeric_limits<double>::max());
  EXPECT_EQ(Rational::power_of_two(2000).upper(), std::numeric_limits<double>::infinity());
}

TEST(Rational, FloorAndCeilingOfNegatives) {
  const Rational value = Rational::ratio(-7, 2).value();
  EXPECT_EQ(value.floor(), -4);
  EXPECT_EQ(value.ceil(), -3);
}

TEST(Rational, TextReadsBack) {
  EXPECT_TRUE(rc::check([](std::int64_t top, std::int32_t bottom) {
    RC_PRE(bottom != 0);
    const Rational value = Rational::ratio(top, bottom).value();
    RC_ASSERT(Rational::parse(value.to_string()).value() == value);
  }));
  EXPECT_EQ(Rational::parse("0.1").value().to_string(), "0.1");
  EXPECT_EQ(Rational::ratio(1, 3).value().to_string(), "1/3");
}

TEST(Rational, EveryDoubleIsExact) {
  EXPECT_TRUE(rc::check([](double value) {
    const Rational exact = Rational::exactly(value).value();
    RC_ASSERT(exact.lower() == value);
    RC_ASSERT(exact.upper() == value);
  }));
}

}  // namespace
}  // namespace tacit
