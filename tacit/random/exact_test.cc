#include "tacit/random/exact_internal.h"

#include <gtest/gtest.h>

#include "tacit/random/testing/deterministic_stream.h"
#include "tacit/random/testing/reference.h"
#include "tacit/random/testing/scripted_stream.h"

namespace tacit {
namespace {

using testing::DeterministicStream;
using testing::reference_exp;
using testing::ScriptedStream;

mpq_class over_power(const mpz_class& value, unsigned bits) {
  return mpq_class(value, mpz_class(1) << bits);
}

TEST(Exact, WordsAndIntegersAreTheSame) {
  for (const std::uint64_t word : {0UL, 1UL, 1UL << 63, ~0UL})
    EXPECT_EQ(to_word(to_mpz(word)), word);
  EXPECT_EQ(to_mpz(~0UL).get_str(), "18446744073709551615");
}

TEST(Exact, BracketsOfRationalsAreAdjacentOrEqual) {
  const Bracket third = bracket_rational(mpq_class(1, 3), 4);
  EXPECT_EQ(third.lo, 5);
  EXPECT_EQ(third.hi, 6);
  const Bracket quarter = bracket_rational(mpq_class(1, 4), 4);
  EXPECT_EQ(quarter.lo, 4);
  EXPECT_EQ(quarter.hi, 4);
}

TEST(Exact, BracketsOfExponentialsHoldAndAreTight) {
  DeterministicStream random(1);
  for (int i = 0; i < 2000; ++i) {
    const unsigned bits = 64 + static_cast<unsigned>(random.next() % 300);
    // x from 2^-60 to about 2^9, with denominators that are not powers of two.
    mpq_class x(to_mpz(random.next() | 1), to_mpz(random.next() | 1));
    x.canonicalize();
    x /= mpz_class(1) << (random.next() % 60);
    x *= static_cast<int>(random.next() % 100 + 1);
    const Bracket bracket = bracket_exp(x, bits);
    const auto reference = reference_exp(x, 1000);
    EXPECT_LE(over_power(bracket.lo, bits), reference.lo);
    EXPECT_GE(over_power(bracket.hi, bits), reference.hi);
    EXPECT_LE(bracket.hi - bracket.lo, 3);
    EXPECT_GE(bracket.lo, 0);
  }
  const Bracket of_zero = bracket_exp(0, 100);
  EXPECT_EQ(of_zero.lo, mpz_class(1) << 100);
  EXPECT_EQ(of_zero.hi, of_zero.lo);
  EXPECT_EQ(bracket_exp(mpz_class(1) << 70, 128).hi, 1);
}

// 1/3 = 0.0101...: a word of those very digits is on the border, and so is the next one.
TEST(Exact, DrawsFurtherWordsOnlyOnTheBorder) {
  const auto third = [](unsigned bits) { return bracket_rational(mpq_class(1, 3), bits); };
  constexpr std::uint64_t kDigits = 0x5555555555555555;
  for (const auto& [second, third_word, below, drawn] :
       std::vector<std::tuple<std::uint64_t, std::uint64_t, bool, std::size_t>>{
           {kDigits - 1, 0, true, 1},
           {kDigits + 1, 0, false, 1},
           {kDigits, 0, true, 2},
           {kDigits, kDigits + 1, false, 2}}) {
    ScriptedStream stream({second, third_word}, 7);
    EXPECT_EQ(uniform_below(kDigits, third, stream), below);
    EXPECT_EQ(stream.drawn(), drawn);
  }
  ScriptedStream stream({}, 7);
  EXPECT_TRUE(uniform_below(kDigits - 1, third, stream));
  EXPECT_FALSE(uniform_below(kDigits + 1, third, stream));
  EXPECT_EQ(stream.drawn(), 0U);
}

TEST(Exact, DyadicProbabilitiesNeedOneWord) {
  const auto quarter = [](unsigned bits) { return bracket_rational(mpq_class(1, 4), bits); };
  const auto one = [](unsigned bits) { return bracket_rational(1, bits); };
  ScriptedStream stream({}, 7);
  EXPECT_FALSE(uniform_below(1UL << 62, quarter, stream));
  EXPECT_TRUE(uniform_below((1UL << 62) - 1, quarter, stream));
  EXPECT_TRUE(uniform_below(~0UL, one, stream));
  EXPECT_EQ(stream.drawn(), 0U);
}

}  // namespace
}  // namespace tacit
