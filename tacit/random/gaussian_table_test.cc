#include "tacit/random/gaussian_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "tacit/random/strips_internal.h"
#include "tacit/random/testing/deterministic_stream.h"
#include "tacit/random/testing/goodness_of_fit.h"

namespace tacit {
namespace {

// Two words, then others, and whether these were needed.
class TwoWords {
 public:
  static constexpr unsigned kWordBits = 64;
  explicit TwoWords(const std::array<std::uint64_t, 2>& words) : words_(words) {}
  std::uint64_t next() {
    const std::size_t place = used_++;
    return place < words_.size() ? words_[place] : others_.next();
  }
  void fill(std::span<std::uint64_t> words) {
    for (std::uint64_t& word : words) word = next();
  }
  [[nodiscard]] bool sufficed() const { return used_ <= words_.size(); }

 private:
  std::array<std::uint64_t, 2> words_;
  std::size_t used_ = 0;
  testing::DeterministicStream others_{7};
};

struct Pairs {
  std::vector<std::array<std::uint64_t, 2>> decided;  // these words alone give a value
  std::vector<std::int64_t> values;
  std::vector<std::array<std::uint64_t, 2>> failed;  // these words alone give none
};

Pairs pairs(const Rational& variance, int count) {
  const Strips<QuadraticExponent> strips(QuadraticExponent(variance.mpq(), 0), Support::kSymmetric);
  testing::DeterministicStream stream(5);
  Pairs out;
  for (int i = 0; i < count; ++i) {
    const std::array<std::uint64_t, 2> words{stream.next(), stream.next()};
    TwoWords source(words);
    const auto value = strips.attempt<Path::kExactOnly>(source);
    if (!source.sufficed()) continue;
    if (value) {
      out.decided.push_back(words);
      out.values.push_back(*value);
    } else {
      out.failed.push_back(words);
    }
  }
  return out;
}

TEST(GaussianTable, GoesOnWithTheWordsThatWereDrawn) {
  auto stream = *SecureStream::create();
  for (const char* const text : {"1/7", "9", "12345678901"}) {
    const Rational variance = *Rational::parse(text);
    const GaussianTable table = *GaussianTable::create(variance);
    const Pairs drawn = pairs(variance, 3000);
    ASSERT_GT(drawn.decided.size(), 1000U);
    for (std::size_t i = 0; i < drawn.decided.size(); ++i) {
      ASSERT_EQ(table.resume(drawn.decided[i], stream), drawn.values[i]);
    }
  }
}

// An attempt that fails is followed by others, which know nothing of its words.
TEST(GaussianTable, AFailedAttemptIsFollowedByOthersOfTheSameLaw) {
  constexpr double kVariance = 9;
  constexpr int kReach = 9;
  auto stream = *SecureStream::create();
  const GaussianTable table = *GaussianTable::create(9);
  const Pairs drawn = pairs(9, 20'000);
  ASSERT_FALSE(drawn.failed.empty());
  const auto cell = [](std::int64_t x) {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(x, -kReach, kReach) + kReach);
  };
  std::vector<std::uint64_t> counts(2 * kReach + 1);
  for (int i = 0; i < 100'000; ++i) {
    const auto& words = drawn.failed[static_cast<std::size_t>(i) % drawn.failed.size()];
    ++counts[cell(table.resume(words, stream))];
  }
  const auto law = [&](double variance) {
    std::vector<double> out(counts.size());
    double total = 0;
    for (int x = -200; x <= 200; ++x) total += std::exp(-x * x / (2 * variance));
    for (int x = -200; x <= 200; ++x) out[cell(x)] += std::exp(-x * x / (2 * variance)) / total;
    return out;
  };
  EXPECT_TRUE(testing::fits(counts, law(kVariance)));
  EXPECT_FALSE(testing::fits(counts, law(kVariance * 0.81)));  // 10% too small is seen
}

TEST(GaussianTable, RefusesAVarianceThatIsNone) {
  EXPECT_FALSE(GaussianTable::create(0));
  EXPECT_FALSE(GaussianTable::create(-1));
}

// What a processor reads of a strip decides as the sampler does, where one word is enough.
TEST(GaussianTable, LanesGiveTheValuesOfTheSampler) {
  const GaussianTable table = *GaussianTable::create(9);
  const Strips<QuadraticExponent> strips(QuadraticExponent(9, 0), Support::kSymmetric);
  const auto& words = table.words();
  testing::DeterministicStream stream(6);
  int decided = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t word = stream.next();
    const std::size_t strip = word % GaussianTable::kStrips;
    if (strip == words[GaussianTable::kTailIndex]) continue;
    const auto lane = std::span(words).subspan(GaussianTable::kLanes + strip * GaussianTable::kLane,
                                               GaussianTable::kLane);
    const uint128 product =
        uint128{word & words[GaussianTable::kColumnMask]} * lane[GaussianTable::kColumns];
    const auto column = static_cast<std::uint64_t>(product >> 64);
    if (static_cast<std::uint64_t>(product) < lane[GaussianTable::kExcess] ||
        column - lane[GaussianTable::kSureBegin] >= lane[GaussianTable::kSureCount]) {
      continue;
    }
    TwoWords source({word, stream.next()});
    const auto value = strips.attempt<Path::kExactOnly>(source);
    ++decided;
    ASSERT_EQ(value, static_cast<std::int64_t>(column - lane[GaussianTable::kColumns] / 2));
  }
  EXPECT_GT(decided, 15'000);
}

}  // namespace
}  // namespace tacit
