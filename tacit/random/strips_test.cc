#include "tacit/random/strips_internal.h"

#include <gtest/gtest.h>

#include <vector>

#include "tacit/random/testing/enumeration_check.h"
#include "tacit/random/testing/scripted_stream.h"

namespace tacit {
namespace {

using testing::DeterministicStream;
using testing::Enumeration;
using testing::Interval;
using testing::reference_exp;
using testing::ScriptedStream;
using testing::Value;

// Words of 7 bits: 3 for the strip, 4 for the column.
constexpr unsigned kShort = 7;
constexpr StripLayout kShortLayout{.word_bits = kShort, .index_bits = 3};
// Stands for the tail in the enumeration of the strips alone.
constexpr std::int64_t kTail = 1 << 20;

// f(x) over the weight of `parts` indexes: what one attempt gives x with (parts = 8), and what an
// attempt that fell into the tail gives it with (parts = 1).
template <class Exponent>
auto attempt_law(const Exponent& exponent, const StripStack& stack, int parts) {
  const mpq_class index_weight(to_mpz(stack.unit) << stack.column_bits, mpz_class(1) << 63);
  return [&exponent, weight = mpq_class(parts * index_weight)](std::int64_t x) {
    return reference_exp(exponent.exact(static_cast<std::uint64_t>(std::abs(x)))) /
           testing::exactly(weight);
  };
}

// The attempt, stopped where it enters the tail.
template <Path path, class Exponent>
Enumeration<Value> walk_strips(const Strips<Exponent>& strips, std::size_t most_words) {
  const std::size_t tail_index = strips.stack().tail_index();
  const auto attempt = [&](auto& source) -> Value {
    auto looking_ahead = source;
    const std::uint64_t word = looking_ahead.next();
    if ((word & 7) == tail_index) return kTail;
    return strips.template attempt<path>(source);
  };
  return testing::enumerate<kShort, Value>(attempt, most_words);
}

template <class Exponent>
void expect_exact_strips(const Exponent& exponent, Support support,
                         StripLayout layout = kShortLayout) {
  const Strips<Exponent> strips(exponent, support, layout);
  auto found = walk_strips<Path::kFastThenExact>(strips, 4);
  EXPECT_EQ(found.mass.extract(kTail).mapped(), mpq_class(1, 8));
  const auto width = static_cast<std::int64_t>(strips.stack().strips.front().width);
  const std::int64_t first = support == Support::kSymmetric ? -(width - 1) : 0;
  EXPECT_TRUE(testing::agrees(found, attempt_law(exponent, strips.stack(), 8), first, width - 1));
  EXPECT_LT(found.open, mpq_class(1, 100000));
  EXPECT_LE(found.mass.size(), static_cast<std::size_t>(width - first) + 1);
}

TEST(Strips, EveryOutcomeOfAnAttemptHasItsProbability) {
  for (const mpq_class& scale : {mpq_class(1, 9), mpq_class(1, 2), mpq_class(1)}) {
    expect_exact_strips(LinearExponent(scale), Support::kSymmetric);
    expect_exact_strips(LinearExponent(scale), Support::kNonNegative);
  }
  for (const mpq_class& variance : {mpq_class(1, 80), mpq_class(1, 2), mpq_class(5, 3)}) {
    expect_exact_strips(QuadraticExponent(variance, 0), Support::kSymmetric);
  }
}

// A tail that begins so high that the lowest strip lies below the graph to its whole width.
TEST(Strips, EveryOutcomeHasItsProbabilityUnderAHighTail) {
  constexpr StripLayout kHighTail{
      .word_bits = kShort, .index_bits = 3, .tail_level = kFixedOne >> 3};
  const LinearExponent exponent(mpq_class(2));
  const Strips<LinearExponent> strips(exponent, Support::kSymmetric, kHighTail);
  EXPECT_EQ(strips.stack().strips.front().sure, strips.stack().strips.front().width);
  EXPECT_TRUE(exactly_reaches(exponent, strips.stack().strips.front().width,
                              strips.stack().strips.front().top()));
  expect_exact_strips(exponent, Support::kSymmetric, kHighTail);
}

TEST(Strips, EnumerationSeesAScaleOffByATenThousandth) {
  const LinearExponent exponent(mpq_class(1));
  const Strips<LinearExponent> strips(exponent, Support::kSymmetric, kShortLayout);
  auto found = walk_strips<Path::kFastThenExact>(strips, 4);
  found.mass.erase(kTail);
  const LinearExponent other(mpq_class(10001, 10000));
  EXPECT_FALSE(testing::agrees(found, attempt_law(other, strips.stack(), 8), -5, 5));
}

TEST(Strips, BothPathsHaveTheSameTree) {
  const Strips<QuadraticExponent> strips(QuadraticExponent(mpq_class(5, 3), 0), Support::kSymmetric,
                                         kShortLayout);
  const auto fast = walk_strips<Path::kFastThenExact>(strips, 3);
  const auto exact = walk_strips<Path::kExactOnly>(strips, 3);
  EXPECT_EQ(fast.mass, exact.mass);
  EXPECT_EQ(fast.open, exact.open);
}

// The word that chooses the strip and, near the middle of its words, the column.
std::uint64_t word_for(const StripStack& stack, std::size_t index, std::uint64_t column) {
  const uint128 bits = uint128{1} << stack.column_bits;
  const std::uint64_t columns = stack.columns(stack.strips[index].width);
  const auto high = static_cast<std::uint64_t>(((column + 1) * bits - 1) / columns);
  return high << (64 - stack.column_bits) | index;
}

// Every strip, at the columns where the graph crosses it, with heights on the very border.
template <class Exponent>
void expect_border_words_agree(const Exponent& exponent) {
  const Strips<Exponent> strips(exponent, Support::kSymmetric);
  const StripStack& stack = strips.stack();
  for (std::size_t i = 0; i < stack.strips.size(); ++i) {
    const Strip& strip = stack.strips[i];
    if (strip.sure == strip.width) continue;
    for (const std::uint64_t m : {strip.sure, (strip.sure + strip.width) / 2, strip.width - 1}) {
      const Interval weight = reference_exp(exponent.exact(m));
      const mpq_class above = weight.lo * to_mpz(kFixedOne) - to_mpz(strip.base);
      const mpq_class scaled = above / to_mpz(strip.height) * (mpz_class(1) << 64);
      const std::uint64_t border = to_word(scaled.get_num() / scaled.get_den());
      for (const std::uint64_t offset : {~1UL, ~0UL, 0UL, 1UL, 2UL}) {
        const std::vector<std::uint64_t> words = {word_for(stack, i, strip.width - 1 + m),
                                                  border + offset};
        ScriptedStream fast(words, i);
        ScriptedStream exact(words, i);
        const auto value = strips.template attempt<Path::kFastThenExact>(fast);
        EXPECT_EQ(value, strips.template attempt<Path::kExactOnly>(exact));
        EXPECT_EQ(fast.drawn(), exact.drawn());
        EXPECT_EQ(fast.drawn(), offset == 0 && scaled.get_den() != 1 ? 3U : 2U);
        if (offset != 0) {
          EXPECT_EQ(value.has_value(), border + offset < border);
        }
        if (value) {
          EXPECT_EQ(*value, static_cast<std::int64_t>(m));
        }
      }
    }
  }
}

TEST(Strips, BorderWordsGiveTheSameOnBothPaths) {
  for (const mpq_class& scale :
       {mpq_class(1, 2), mpq_class(22, 7), mpq_class(1 << 20), mpq_class(mpz_class(1) << 40)}) {
    expect_border_words_agree(LinearExponent(scale));
    expect_border_words_agree(QuadraticExponent(scale * scale, 0));
  }
}

template <class Exponent>
void expect_paths_agree(const Exponent& exponent, Support support, int draws) {
  const Strips<Exponent> strips(exponent, support);
  ScriptedStream fast({}, 11);
  ScriptedStream exact({}, 11);
  for (int i = 0; i < draws; ++i) {
    ASSERT_EQ(strips.template attempt<Path::kFastThenExact>(fast),
              strips.template attempt<Path::kExactOnly>(exact));
    ASSERT_EQ(fast.drawn(), exact.drawn());
  }
}

TEST(Strips, PathsAgreeWordForWordOverAMillionDraws) {
  for (const mpq_class& scale :
       {mpq_class(1, 1 << 30), mpq_class(1, 3), mpq_class(1), mpq_class(22, 7), mpq_class(1000),
        mpq_class(1 << 20), mpq_class(mpz_class(1) << 40)}) {
    expect_paths_agree(LinearExponent(scale), Support::kSymmetric, 60000);
    expect_paths_agree(LinearExponent(scale), Support::kNonNegative, 20000);
    expect_paths_agree(QuadraticExponent(scale * scale, 0), Support::kSymmetric, 60000);
  }
}

// The quick loop of fill gives what the attempts give.
template <class Exponent>
void expect_fill_is_attempts(const Exponent& exponent, Support support) {
  const Strips<Exponent> strips(exponent, support);
  DeterministicStream for_fill(5);
  DeterministicStream for_attempts(5);
  WordBlock block(for_fill, 1 << 20);
  std::vector<std::int64_t> values(20000);
  strips.fill(block, values);
  for (const std::int64_t value : values) {
    ASSERT_EQ(value, first_success<Path::kFastThenExact>(strips, for_attempts));
  }
}

TEST(Strips, FillGivesWhatAttemptsGive) {
  for (const mpq_class& scale :
       {mpq_class(1, 2), mpq_class(22, 7), mpq_class(mpz_class(1) << 40)}) {
    expect_fill_is_attempts(LinearExponent(scale), Support::kSymmetric);
    expect_fill_is_attempts(LinearExponent(scale), Support::kNonNegative);
    expect_fill_is_attempts(QuadraticExponent(scale * scale, 0), Support::kSymmetric);
  }
}

}  // namespace
}  // namespace tacit
