#include "tacit/random/direct_internal.h"

#include <gtest/gtest.h>

#include <vector>

#include "tacit/random/testing/enumeration_check.h"
#include "tacit/random/testing/scripted_stream.h"

namespace tacit {
namespace {

using testing::Enumeration;
using testing::Interval;
using testing::reference_exp;
using testing::ScriptedStream;
using testing::Value;

template <Path path, unsigned bits, class Sampler>
Enumeration<Value> walk(const Sampler& sampler, std::size_t most_words) {
  const auto attempt = [&](auto& source) { return sampler.template attempt<path>(source); };
  return testing::enumerate<bits, Value>(attempt, most_words);
}

mpq_class half_geometric_rate(std::int64_t x, const mpq_class& scale) {
  return std::abs(x) / scale;
}

// One attempt gives x with probability (1 - q) q^|x| / 2.
auto laplace_attempt(const mpq_class& scale) {
  return [scale](std::int64_t x) {
    return testing::exactly(mpq_class(1, 2)) * reference_exp(1 / scale).complement() *
           reference_exp(half_geometric_rate(x, scale));
  };
}

// ... and then keeps it with probability exp(-(|x| - variance / t)^2 / (2 variance)).
auto gaussian_attempt(const mpq_class& variance, const mpq_class& t) {
  return [=](std::int64_t x) {
    const mpq_class distance = std::abs(x) - variance / t;
    return laplace_attempt(t)(x) * reference_exp(distance * distance / (2 * variance));
  };
}

TEST(DirectLaplace, EveryOutcomeOfAnAttemptHasItsProbability) {
  for (const mpq_class& scale : {mpq_class(2, 7), mpq_class(1), mpq_class(5, 4)}) {
    const auto found = walk<Path::kFastThenExact, 3>(DirectLaplace(scale, 3), 6);
    EXPECT_TRUE(testing::agrees(found, laplace_attempt(scale), -30, 30)) << scale;
    EXPECT_LT(found.open, mpq_class(1, 30));
    EXPECT_FALSE(testing::agrees(found, laplace_attempt(scale * mpq_class(9, 10)), -30, 30));
  }
}

TEST(DirectGaussian, EveryOutcomeOfAnAttemptHasItsProbability) {
  for (const auto& [variance, t] :
       std::vector<std::pair<mpq_class, int>>{{mpq_class(1, 5), 1}, {mpq_class(2, 3), 1}}) {
    const auto found = walk<Path::kFastThenExact, 2>(DirectGaussian(variance, 2), 10);
    EXPECT_TRUE(testing::agrees(found, gaussian_attempt(variance, t), -20, 20)) << variance;
    EXPECT_LT(found.open, mpq_class(1, 25));
    EXPECT_FALSE(testing::agrees(found, gaussian_attempt(variance * mpq_class(9, 10), t), -20, 20));
  }
}

TEST(Direct, BothPathsHaveTheSameTree) {
  const DirectGaussian gaussian(mpq_class(2, 3), 2);
  const auto fast = walk<Path::kFastThenExact, 2>(gaussian, 6);
  const auto exact = walk<Path::kExactOnly, 2>(gaussian, 6);
  EXPECT_EQ(fast.mass, exact.mass);
  EXPECT_EQ(fast.open, exact.open);
}

template <class Sampler>
void expect_paths_agree(const Sampler& sampler, int draws) {
  for (int i = 0; i < draws; ++i) {
    ScriptedStream fast({}, static_cast<std::uint64_t>(i));
    ScriptedStream exact({}, static_cast<std::uint64_t>(i));
    EXPECT_EQ(first_success<Path::kFastThenExact>(sampler, fast),
              first_success<Path::kExactOnly>(sampler, exact));
    EXPECT_EQ(fast.drawn(), exact.drawn());
  }
}

TEST(Direct, PathsAgreeWordForWordAtAllScales) {
  for (const mpq_class& scale :
       {mpq_class(1, 1 << 30), mpq_class(1, 3), mpq_class(1), mpq_class(22, 7), mpq_class(1 << 20),
        mpq_class(mpz_class(1) << 40)}) {
    expect_paths_agree(DirectGeometric(scale, 64), 500);
    expect_paths_agree(DirectLaplace(scale, 64), 500);
    expect_paths_agree(DirectGaussian(scale * scale, 64), 500);
  }
}

// The last word of an attempt is put on the border of the decision to keep.
TEST(DirectGaussian, BorderWordsGiveTheSameOnBothPaths) {
  const mpq_class variance(22, 7);
  const DirectGaussian gaussian(variance, 64);
  const mpq_class t(2);
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    // Learn the proposal and how many words lead to it.
    ScriptedStream learning({}, seed);
    const auto proposal = DirectLaplace(t, 64).attempt<Path::kFastThenExact>(learning);
    if (!proposal) continue;
    std::vector<std::uint64_t> words(learning.drawn());
    ScriptedStream({}, seed).fill(words);
    const mpq_class distance = std::abs(*proposal) - variance / t;
    const Interval keep = reference_exp(distance * distance / (2 * variance));
    const mpq_class scaled = keep.lo * (mpz_class(1) << 64);
    const std::uint64_t border = to_word(scaled.get_num() / scaled.get_den());
    words.push_back(border);
    for (const std::uint64_t offset : {~1UL, ~0UL, 0UL, 1UL, 2UL}) {
      words.back() = border + offset;
      ScriptedStream fast(words, seed);
      ScriptedStream exact(words, seed);
      const auto value = gaussian.attempt<Path::kFastThenExact>(fast);
      EXPECT_EQ(value, gaussian.attempt<Path::kExactOnly>(exact));
      EXPECT_EQ(fast.drawn(), exact.drawn());
      EXPECT_EQ(fast.drawn() > words.size(), offset == 0);
      if (offset != 0) {
        EXPECT_EQ(value.has_value(), words.back() < border);
      }
    }
  }
}

}  // namespace
}  // namespace tacit
