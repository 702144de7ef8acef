#include "tacit/random/fixed_exp_internal.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include "tacit/random/exact_internal.h"
#include "tacit/random/testing/deterministic_stream.h"
#include "tacit/random/testing/reference.h"

namespace tacit {
namespace {

using testing::DeterministicStream;
using testing::reference_exp;

mpq_class exponent_value(const mpz_class& exponent) {
  return mpq_class(exponent, mpz_class(1) << kExponentBits);
}

void expect_bounds(std::uint64_t exponent) {
  const FixedBounds bounds = fixed_exp(exponent);
  const mpz_class least = to_mpz(exponent) - kExponentSlack;
  const mpz_class most = to_mpz(exponent) + kExponentSlack;
  const mpq_class one = to_mpz(kFixedOne);
  EXPECT_LE(mpq_class(to_mpz(bounds.lo)), reference_exp(exponent_value(most)).lo * one) << exponent;
  if (least >= 0) {
    EXPECT_GE(mpq_class(to_mpz(bounds.hi)), reference_exp(exponent_value(least)).hi * one)
        << exponent;
  } else {
    EXPECT_EQ(bounds.hi, kFixedOne);
  }
  // Within 2^-52 of each other, and four units.
  EXPECT_LE(bounds.hi - bounds.lo, (bounds.lo >> 52) + 5);
}

TEST(FixedExp, ConstantsAreThoseOfTheDefinitions) {
  mpfr_t value;
  mpfr_init2(value, 300);
  mpz_class floored;
  mpfr_const_log2(value, MPFR_RNDN);
  mpfr_mul_2ui(value, value, 64, MPFR_RNDN);
  mpfr_get_z(floored.get_mpz_t(), value, MPFR_RNDD);
  EXPECT_EQ(to_word(floored), fixed_exp_constants::kLn2);
  mpfr_const_log2(value, MPFR_RNDN);
  mpfr_ui_div(value, 1, value, MPFR_RNDN);
  mpfr_mul_2ui(value, value, 63, MPFR_RNDN);
  mpfr_get_z(floored.get_mpz_t(), value, MPFR_RNDD);
  EXPECT_EQ(to_word(floored), fixed_exp_constants::kLog2OfE);
  mpfr_clear(value);
}

TEST(FixedExp, BoundsHoldEverywhere) {
  DeterministicStream random(2);
  for (int i = 0; i < 20000; ++i) {
    // As many small exponents as large ones.
    const std::uint64_t word = random.next() >> (random.next() % 60);
    if (word < kExponentEnd) expect_bounds(word);
  }
}

// Where the whole part of g log2(e) changes, and at the ends.
TEST(FixedExp, BoundsHoldAtTheSeams) {
  for (std::uint64_t whole = 0; whole <= 63; ++whole) {
    const mpz_class seam = (to_mpz(fixed_exp_constants::kLn2) * to_mpz(whole)) >> 6;
    for (int offset = -40; offset <= 40; ++offset) {
      const mpz_class exponent = seam + offset;
      if (exponent >= 0 && exponent < to_mpz(kExponentEnd)) expect_bounds(to_word(exponent));
    }
  }
  for (std::uint64_t i = 1; i < 40; ++i) expect_bounds(kExponentEnd - i);
  EXPECT_EQ(fixed_exp(0).hi, kFixedOne);
  EXPECT_EQ(fixed_exp(kExponentEnd).lo, 0U);
  EXPECT_EQ(fixed_exp(kExponentEnd).hi, 1U);
  EXPECT_LT(reference_exp(44).hi * to_mpz(kFixedOne), 1);
}

}  // namespace
}  // namespace tacit
