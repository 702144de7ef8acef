#include "tacit/random/strip_tail_internal.h"

#include <gtest/gtest.h>

#include "tacit/random/testing/enumeration_check.h"
#include "tacit/random/testing/scripted_stream.h"

namespace tacit {
namespace {

using testing::Interval;
using testing::reference_exp;
using testing::ScriptedStream;
using testing::Value;

// What an index weighs, and what lies beyond the strips before any thinning.
mpq_class index_weight(const StripStack& stack) {
  mpq_class weight(to_mpz(stack.unit) << stack.column_bits, mpz_class(1) << 63);
  weight.canonicalize();
  return weight;
}

template <class Exponent>
Interval tail_weight(const Exponent& exponent, const StripStack& stack) {
  const std::uint64_t start = stack.strips.front().width;
  return testing::exactly(stack.support == Support::kSymmetric ? 2 : 1) *
         reference_exp(exponent.exact(start)) / reference_exp(exponent.slope(start)).complement();
}

TEST(StripTail, WeighsLessThanOneIndexAtEveryScale) {
  for (int k = -60; k <= 80; ++k) {
    const mpz_class power = mpz_class(1) << static_cast<unsigned>(std::abs(k));
    const mpq_class variance = k < 0 ? mpq_class(1, power) : mpq_class(power);
    const QuadraticExponent gaussian(variance, 0);
    const StripStack stack = build_strips(gaussian, Support::kSymmetric, {});
    EXPECT_LT(tail_weight(gaussian, stack).hi, index_weight(stack)) << k;
    if (k < -30 || k > 40) continue;
    for (const Support support : {Support::kSymmetric, Support::kNonNegative}) {
      const LinearExponent laplace(variance);
      const StripStack laplace_stack = build_strips(laplace, support, {});
      EXPECT_LT(tail_weight(laplace, laplace_stack).hi, index_weight(laplace_stack)) << k;
    }
  }
}

// An attempt gives x beyond the strips with probability f(x) / (weight of an index).
template <class Exponent>
auto attempt_law(const Exponent& exponent, const StripStack& stack) {
  return [&exponent, weight = index_weight(stack)](std::int64_t x) {
    return reference_exp(exponent.exact(static_cast<std::uint64_t>(std::abs(x)))) /
           testing::exactly(weight);
  };
}

template <Path path, class Exponent>
testing::Enumeration<Value> walk(const Exponent& exponent, const StripTail<Exponent>& tail,
                                 std::size_t most_words) {
  const auto attempt = [&](auto& source) { return tail.template attempt<path>(exponent, source); };
  return testing::enumerate<4, Value>(attempt, most_words);
}

// The tail begins high, so that it is often entered.
constexpr StripLayout kShortLayout{.word_bits = 4, .index_bits = 1, .tail_level = kFixedOne >> 2};

template <class Exponent>
void expect_exact_tail(const Exponent& exponent, const Exponent& other, Support support,
                       std::size_t most_words) {
  const StripStack stack = build_strips(exponent, support, kShortLayout);
  const StripTail<Exponent> tail(exponent, stack);
  const auto found = walk<Path::kFastThenExact>(exponent, tail, most_words);
  const auto start = static_cast<std::int64_t>(stack.strips.front().width);
  EXPECT_TRUE(testing::agrees(found, attempt_law(exponent, stack), start, start + 20));
  EXPECT_FALSE(testing::agrees(found, attempt_law(other, stack), start, start + 20));
  if (support == Support::kSymmetric) {
    EXPECT_TRUE(testing::agrees(found, attempt_law(exponent, stack), -start - 20, -start));
  }
  EXPECT_LT(found.open, mpq_class(1, 25));
}

TEST(StripTail, EveryOutcomeOfAnAttemptHasItsProbability) {
  const LinearExponent laplace(mpq_class(2, 3));
  const LinearExponent narrow_laplace(mpq_class(2, 3) * mpq_class(9, 10));
  expect_exact_tail(laplace, narrow_laplace, Support::kNonNegative, 5);
  expect_exact_tail(laplace, narrow_laplace, Support::kSymmetric, 5);
  const QuadraticExponent gaussian(mpq_class(2, 3), 0);
  const QuadraticExponent narrow_gaussian(mpq_class(2, 3) * mpq_class(81, 100), 0);
  expect_exact_tail(gaussian, narrow_gaussian, Support::kSymmetric, 5);
}

// Words that lead into the tail at the true layout, where chance would seldom take a test.
TEST(StripTail, PathsAgreeWordForWord) {
  for (const mpq_class& scale :
       {mpq_class(1, 3), mpq_class(22, 7), mpq_class(1 << 20), mpq_class(mpz_class(1) << 40)}) {
    const QuadraticExponent exponent(scale * scale, 0);
    const StripStack stack = build_strips(exponent, Support::kSymmetric, {});
    const StripTail<QuadraticExponent> tail(exponent, stack);
    int kept = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      ScriptedStream fast({seed % 3}, seed);
      ScriptedStream exact({seed % 3}, seed);
      const auto value = tail.attempt<Path::kFastThenExact>(exponent, fast);
      EXPECT_EQ(value, tail.attempt<Path::kExactOnly>(exponent, exact));
      EXPECT_EQ(fast.drawn(), exact.drawn());
      if (value) {
        ++kept;
        EXPECT_GE(std::abs(*value), static_cast<std::int64_t>(stack.strips.front().width));
      }
    }
    EXPECT_GT(kept, 50);
  }
}

}  // namespace
}  // namespace tacit
