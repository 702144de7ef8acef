#include "tacit/random/strip_stack_internal.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tacit/random/testing/reference.h"

namespace tacit {
namespace {

using testing::reference_exp;

// f(m) - level, as far as MPFR's bounds tell: they must tell.
template <class Exponent>
bool reference_reaches(const Exponent& exponent, std::uint64_t m, std::uint64_t level) {
  const auto weight = reference_exp(exponent.exact(m));
  const mpq_class bound(to_mpz(level), mpz_class(1) << 63);
  EXPECT_TRUE(weight.lo >= bound || weight.hi < bound);
  return weight.lo >= bound;
}

// The parts of column m below the graph, strip by strip, must add up to f(m): no more, no less.
template <class Exponent>
void expect_column_adds_up(const Exponent& exponent, const StripStack& stack, std::uint64_t m) {
  const auto weight = reference_exp(exponent.exact(m));
  const mpz_class one = to_mpz(kFixedOne);
  const auto covered = [&](const mpq_class& height) {
    mpq_class sum = 0;
    for (const Strip& strip : stack.strips) {
      if (m >= strip.width) continue;
      const mpq_class above = height * one - to_mpz(strip.base);
      sum += std::clamp(above, mpq_class(0), mpq_class(to_mpz(strip.height)));
    }
    return mpq_class(sum / one);
  };
  EXPECT_EQ(covered(weight.lo), weight.lo) << m;
  EXPECT_EQ(covered(weight.hi), weight.hi) << m;
}

template <class Exponent>
void expect_sound(const Exponent& exponent, Support support) {
  const StripStack stack = build_strips(exponent, support, {});
  ASSERT_FALSE(stack.strips.empty());
  ASSERT_LE(stack.strips.size(), 255U);
  const std::uint64_t width = stack.strips.front().width;
  EXPECT_FALSE(reference_reaches(exponent, width, stack.layout.tail_level));
  // The columns nearest the tail, where two strips would overlap with it, and some of each strip.
  expect_column_adds_up(exponent, stack, width - 1);
  EXPECT_TRUE(std::ranges::all_of(stack.strips, [&](auto& strip) { return strip.width <= width; }));
  std::uint64_t level = 0;
  mpz_class area = 0;
  int index = 0;
  for (const Strip& strip : stack.strips) {
    EXPECT_EQ(strip.base, level);
    EXPECT_EQ(strip.height, stack.unit * strip.words);
    EXPECT_LE(to_mpz(strip.words) * to_mpz(stack.columns(strip.width)), mpz_class(1)
                                                                            << stack.column_bits);
    EXPECT_GE(strip.words, 1U);
    EXPECT_LE(strip.sure, strip.width);
    // The sure part reaches the top; the first column outside it does not.
    if (strip.sure > 0) {
      EXPECT_TRUE(reference_reaches(exponent, strip.sure - 1, strip.top()));
    }
    if (strip.sure < strip.width) {
      EXPECT_FALSE(reference_reaches(exponent, strip.sure, strip.top()));
    }
    if (++index % 9 == 0) {
      for (const std::uint64_t m : {strip.sure, strip.sure - 1, strip.width / 2}) {
        if (m < width) expect_column_adds_up(exponent, stack, m);
      }
    }
    level = strip.top();
    area += to_mpz(strip.words) * to_mpz(stack.columns(strip.width));
  }
  EXPECT_GE(level, kFixedOne);
  // Not many words are wasted.
  const mpq_class used(area, mpz_class(1) << (stack.column_bits + stack.layout.index_bits));
  EXPECT_GT(used, mpq_class(93, 100));
}

TEST(StripStack, CoversTheGraphAndItsSurePartsLieBelow) {
  const mpq_class two_to_forty(mpz_class(1) << 40);
  for (const mpq_class& scale :
       {mpq_class(1, 1 << 30), mpq_class(1, 8), mpq_class(1, 3), mpq_class(1, 2), mpq_class(1),
        mpq_class(7, 5), mpq_class(22, 7), mpq_class(10), mpq_class(100), mpq_class(12345, 11),
        mpq_class(1 << 20), two_to_forty, mpq_class(two_to_forty * mpq_class(3, 5))}) {
    expect_sound(LinearExponent(scale), Support::kSymmetric);
    expect_sound(LinearExponent(scale), Support::kNonNegative);
    expect_sound(QuadraticExponent(scale * scale, 0), Support::kSymmetric);
  }
}

TEST(StripStack, ReachingIsDecidedAlikeByWordsAndExactly) {
  const LinearExponent exponent(mpq_class(mpz_class(1) << 40));
  for (std::uint64_t m = 1; m < std::uint64_t{1} << 42; m = m * 3 + 1) {
    const FixedBounds weight = exponent.weight(m);
    for (std::uint64_t level = weight.lo - 2; level <= weight.hi + 2;
         level += 1 + (weight.hi - weight.lo) / 50) {
      EXPECT_EQ(reaches(exponent, m, level), exactly_reaches(exponent, m, level));
      EXPECT_EQ(reaches(exponent, m, level), reference_reaches(exponent, m, level));
    }
  }
  EXPECT_TRUE(reaches(exponent, 0, kFixedOne));
  EXPECT_FALSE(reaches(exponent, 0, kFixedOne + 1));
}

}  // namespace
}  // namespace tacit
