#include "tacit/anonymize/safepub/thinning.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tacit::anonymize {
namespace {

Rational number(const char* text) { return *Rational::parse(text); }

mpq_class power(const mpq_class& base, std::uint64_t exponent) {
  mpq_class out = 1;
  for (std::uint64_t i = 0; i < exponent; ++i) out *= base;
  return out;
}

// e^x to more digits than a double has, as a rational.
mpq_class exponential(const mpq_class& x) {
  mpq_class out = 1;
  mpq_class term = 1;
  for (int i = 1; i < 60; ++i) {
    term *= x / i;
    out += term;
  }
  return out;
}

mpq_class chance(std::uint64_t n, std::uint64_t j, const mpq_class& rate) {
  if (j > n) return 0;
  mpz_class ways;
  mpz_bin_uiui(ways.get_mpz_t(), n, j);
  return ways * power(rate, j) * power(1 - rate, n - j);
}

// The least delta for one class that has n rows or one less: the sum over all that can be shown.
mpq_class class_delta(std::uint64_t n, std::uint64_t k, const mpq_class& rate,
                      const mpq_class& grown) {
  mpq_class out = 0;
  mpq_class hidden = 0;
  mpq_class hidden_before = 0;
  for (std::uint64_t j = 0; j <= n; ++j) {
    const mpq_class with = chance(n, j, rate);
    const mpq_class without = chance(n - 1, j, rate);
    if (j < k) {
      hidden += with;
      hidden_before += without;
    } else if (with > grown * without) {
      out += with - grown * without;
    }
  }
  if (hidden > grown * hidden_before) out += hidden - grown * hidden_before;
  return out;
}

TEST(Thinning, DeltaIsTheLargestOfAllClasses) {
  for (const auto& [epsilon, rate, k] :
       {std::tuple{"1", "0.3", 6U}, {"0.5", "0.39", 12U}, {"0.1", "0.05", 5U}, {"2", "0.8", 4U}}) {
    const mpq_class grown = exponential(number(epsilon).mpq());
    mpq_class largest = 0;
    for (std::uint64_t n = 1; n <= 120; ++n) {
      const mpq_class delta = class_delta(n, k, number(rate).mpq(), grown);
      if (delta > largest) largest = delta;
    }
    const double bound = delta_bound(number(epsilon), {.rate = number(rate), .least = k});
    EXPECT_GE(mpq_class(bound), largest);
    EXPECT_LE(bound, largest.get_d() * (1 + 1e-8)) << epsilon << " " << rate << " " << k;
  }
}

TEST(Thinning, NothingIsLostInTheOtherDirection) {
  const Rational epsilon = number("0.5");
  const mpq_class grown = exponential(epsilon.mpq());
  const mpq_class rate = largest_rate(epsilon).mpq();
  for (std::uint64_t n = 1; n <= 30; ++n) {
    mpq_class hidden = 0;
    mpq_class hidden_before = 0;
    for (std::uint64_t j = 0; j < n; ++j) {
      EXPECT_LE(chance(n - 1, j, rate), grown * chance(n, j, rate));
      if (j >= 7) continue;
      hidden += chance(n, j, rate);
      hidden_before += chance(n - 1, j, rate);
    }
    EXPECT_LE(hidden_before, grown * hidden);
    // A rate a little too high breaks it.
    const mpq_class more = rate + mpq_class(1, 100);
    EXPECT_GT(chance(n - 1, 0, more), grown * chance(n, 0, more));
  }
}

TEST(Thinning, IsTheLeastThatSuffices) {
  for (const char* const epsilon : {"0.05", "0.1", "1", "4"}) {
    for (const char* const delta : {"1e-4", "1e-6", "1e-10"}) {
      const auto thinning = Thinning::create(number(epsilon), number(delta));
      ASSERT_TRUE(thinning) << thinning.error().what;
      EXPECT_LE(delta_bound(number(epsilon), *thinning), number(delta).lower());
      const Thinning less{.rate = thinning->rate, .least = thinning->least - 1};
      EXPECT_GT(delta_bound(number(epsilon), less), number(delta).upper());
    }
  }
}

TEST(Thinning, KnownValues) {
  // By the sum of lemma 2 in another language.
  EXPECT_EQ(Thinning::create(1, number("1e-6"), number("0.632"))->least, 58U);
  EXPECT_EQ(Thinning::create(number("0.1"), number("1e-6"), number("0.095"))->least, 35U);
  EXPECT_EQ(Thinning::create(4, number("1e-6"), number("0.49"))->least, 20U);
}

TEST(Thinning, TheLargestRateIsJustBelowItsBound) {
  for (const double epsilon : {0.01, 0.1, 1.0, 5.0}) {
    const Rational rate = largest_rate(*Rational::decimal(epsilon));
    const double bound = -std::expm1(-epsilon);
    EXPECT_LE(rate.upper(), bound);
    EXPECT_GT(rate.lower(), bound - 1.1e-6);
  }
  EXPECT_LT(largest_rate(100), Rational(1));
}

TEST(Thinning, Refuses) {
  EXPECT_FALSE(Thinning::create(number("0.001"), number("1e-6")));
  EXPECT_FALSE(Thinning::create(11, number("1e-6")));
  EXPECT_FALSE(Thinning::create(1, 0));
  EXPECT_FALSE(Thinning::create(1, 1));
  EXPECT_FALSE(Thinning::create(1, number("1e-6"), 0));
  EXPECT_FALSE(Thinning::create(1, number("1e-6"), number("0.6322")));
  EXPECT_TRUE(Thinning::create(1, number("1e-6"), number("0.6321")));
}

}  // namespace
}  // namespace tacit::anonymize
