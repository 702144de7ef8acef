#include "tacit/random/geometric_digits_internal.h"

#include <gtest/gtest.h>

#include "tacit/random/testing/enumeration_check.h"
#include "tacit/random/testing/scripted_stream.h"

namespace tacit {
namespace {

using testing::Enumeration;
using testing::Interval;
using testing::reference_exp;
using testing::ScriptedStream;
using testing::Value;

template <Path path, unsigned bits>
Enumeration<Value> walk(const GeometricDigits& digits, std::size_t most_words) {
  const auto sampler = [&](auto& source) {
    return Value(static_cast<std::int64_t>(digits.sample<path>(source)));
  };
  return testing::enumerate<bits, Value>(sampler, most_words);
}

// P(k) = (1 - q) q^k with q = exp(-1 / scale).
auto law(const mpq_class& scale) {
  return [scale](std::int64_t k) {
    return reference_exp(1 / scale).complement() * reference_exp(k / scale);
  };
}

constexpr unsigned kShort = 4;

TEST(GeometricDigits, EveryOutcomeHasItsProbability) {
  for (const mpq_class& scale : {mpq_class(1, 3), mpq_class(1), mpq_class(10, 7)}) {
    const GeometricDigits digits(scale, kShort);
    const auto found = walk<Path::kFastThenExact, kShort>(digits, 5);
    EXPECT_TRUE(testing::agrees(found, law(scale), 0, 40)) << scale;
    EXPECT_LT(found.open, mpq_class(1, 50));
  }
}

TEST(GeometricDigits, EnumerationSeesAThresholdOffByOne) {
  const mpq_class scale(1);
  const auto law_of_scale = law(scale);
  for (const int change : {-1, 1}) {
    GeometricDigits digits(scale, kShort);
    for (std::uint64_t& threshold : digits.thresholds()) {
      const std::uint64_t right = threshold;
      threshold = right + static_cast<std::uint64_t>(change);
      EXPECT_FALSE(
          testing::agrees(walk<Path::kFastThenExact, kShort>(digits, 5), law_of_scale, 0, 40));
      threshold = right;
    }
  }
}

// Both paths have the same tree: the same words lead to the same value.
TEST(GeometricDigits, BothPathsHaveTheSameTree) {
  const GeometricDigits digits(mpq_class(1), 3);
  const auto fast = walk<Path::kFastThenExact, 3>(digits, 4);
  const auto exact = walk<Path::kExactOnly, 3>(digits, 4);
  EXPECT_EQ(fast.mass, exact.mass);
  EXPECT_EQ(fast.open, exact.open);
}

mpz_class floor_scaled(const mpq_class& value) {
  const mpq_class scaled = value * (mpz_class(1) << 64);
  return scaled.get_num() / scaled.get_den();
}

TEST(GeometricDigits, ThresholdsAreExactToTheLastUnit) {
  for (const mpq_class& scale :
       {mpq_class(1, 1 << 30), mpq_class(1, 3), mpq_class(1), mpq_class(22, 7), mpq_class(1 << 20),
        mpq_class(mpz_class(1) << 40)}) {
    GeometricDigits digits(scale, 64);
    const auto thresholds = digits.thresholds();
    for (std::size_t j = 0; j < thresholds.size(); ++j) {
      const Interval e = reference_exp((mpz_class(1) << j) / scale);
      const Interval p = {e.lo / (1 + e.lo), e.hi / (1 + e.hi)};
      EXPECT_EQ(floor_scaled(p.lo), floor_scaled(p.hi));
      EXPECT_EQ(to_mpz(thresholds[j]), floor_scaled(p.lo)) << scale << " " << j;
    }
    // What lies beyond the digits has less than one unit, and one digit fewer would not do.
    const mpq_class unit(1, mpz_class(1) << 64);
    EXPECT_LT(reference_exp((mpz_class(1) << thresholds.size()) / scale).hi, unit);
    if (!thresholds.empty()) {
      EXPECT_GT(reference_exp((mpz_class(1) << (thresholds.size() - 1)) / scale).lo, unit);
    }
  }
}

// Words on the border of a digit, and the word that may lead beyond the digits.
TEST(GeometricDigits, BorderWordsGiveTheSameOnBothPaths) {
  for (const mpq_class& scale :
       {mpq_class(1, 3), mpq_class(22, 7), mpq_class(mpz_class(1) << 40)}) {
    GeometricDigits digits(scale, 64);
    const auto thresholds = digits.thresholds();
    for (std::size_t j = 0; j <= thresholds.size(); ++j) {
      for (const std::uint64_t offset : {0UL, 1UL, ~0UL}) {
        std::vector<std::uint64_t> words(thresholds.size() + 1, 1UL << 63);
        words[j] = (j < thresholds.size() ? thresholds[j] : 0) + offset;
        ScriptedStream fast(words, j);
        ScriptedStream exact(words, j);
        EXPECT_EQ(digits.sample<Path::kFastThenExact>(fast),
                  digits.sample<Path::kExactOnly>(exact));
        EXPECT_EQ(fast.drawn(), exact.drawn());
        EXPECT_EQ(fast.drawn() > words.size(), offset == 0);
      }
    }
  }
}

// Zeros, then ones.
class ZerosFirst {
 public:
  static constexpr unsigned kWordBits = 64;

  explicit ZerosFirst(std::uint64_t zeros) : left_(zeros) {}

  std::uint64_t next() { return left_ == 0 ? ~0UL : (--left_, 0UL); }
  void fill(std::span<std::uint64_t> words) {
    for (std::uint64_t& word : words) word = next();
  }

 private:
  std::uint64_t left_;
};

// At scale 2^40 two zero words lead once beyond the 46 digits, and 2^17 times reach the end.
TEST(GeometricDigits, StopsAtTheEndOfTheRange) {
  const GeometricDigits digits(mpq_class(mpz_class(1) << 40), 64);
  ZerosFirst enough((1 << 18) + 100);
  EXPECT_EQ(digits.sample<Path::kFastThenExact>(enough), kLargestMagnitude);
  ZerosFirst few(46 + 2 * 3);
  EXPECT_EQ(digits.sample<Path::kFastThenExact>(few), (std::uint64_t{4} << 46) - 1);
}

}  // namespace
}  // namespace tacit
