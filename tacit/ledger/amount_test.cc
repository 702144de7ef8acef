#include "tacit/ledger/amount.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <string>

namespace tacit {
namespace {

Rational rational(std::string_view text) { return Rational::parse(text).value(); }

TEST(Amount, TenTenthsAreOne) {
  const Amount tenth = Amount::round_up(rational("0.1"), 12).value();
  Amount sum;
  for (int i = 0; i < 10; ++i) sum = sum.plus(tenth).value();
  EXPECT_EQ(sum, Amount::round_down(1).value());
  EXPECT_EQ(sum.to_string(), "1");
}

TEST(Amount, RoundsChargesUpAndCapsDown) {
  EXPECT_EQ(Amount::round_up(rational("1/3"), 12)->to_string(), "0.333333333334");
  EXPECT_EQ(Amount::round_down(rational("1/3"), 12)->to_string(), "0.333333333333");
  EXPECT_EQ(Amount::round_up(rational("1e-31"))->to_string(), "0.000000000000000000000000000001");
  EXPECT_EQ(Amount::round_up(0)->to_string(), "0");
  EXPECT_EQ(Amount::round_up(rational("1e-30"))->to_rational(), rational("1e-30"));
}

TEST(Amount, RefusesWhatItCannotHold) {
  EXPECT_FALSE(Amount::round_up(-1));
  EXPECT_FALSE(Amount::round_up(100'000'001));
  EXPECT_FALSE(Amount::round_down(rational("1e40")));
  const Amount largest = Amount::round_up(100'000'000).value();
  EXPECT_FALSE(largest.plus(Amount::round_up(rational("1e-30")).value()));
  EXPECT_EQ(largest.plus(Amount()).value(), largest);
}

TEST(Amount, ReadsOnlyWhatItWrites) {
  for (const char* text : {"0", "1", "0.25", "100000000", "0.000000000000000000000000000001"}) {
    EXPECT_EQ(Amount::parse(text)->to_string(), text);
  }
  for (const char* text :
       {"", ".", "01", "1.", ".5", "0.50", "-1", "+1", "1e3", " 1", "100000001", "999999999.9",
        "100000000.000000000000000000000000000001", "0.0000000000000000000000000000001"}) {
    EXPECT_FALSE(Amount::parse(text)) << text;
  }
}

TEST(Amount, SubtractionStopsAtZero) {
  const Amount one = Amount::round_up(1).value();
  const Amount two = Amount::round_up(2).value();
  EXPECT_EQ(two.less(one), one);
  EXPECT_TRUE(one.less(two).is_zero());
}

RC_GTEST_PROP(AmountProperty, TextRoundTrips, (std::uint64_t units)) {
  const Rational value =
      Rational(mpq_class(mpz_class(std::to_string(units)), mpz_class("1000000000000")));
  const Amount amount = Amount::round_up(value, 12).value();
  RC_ASSERT(amount.to_rational() == value);
  RC_ASSERT(Amount::parse(amount.to_string()).value() == amount);
}

}  // namespace
}  // namespace tacit
