#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "tacit/mechanisms/randomized_response/bit_coin_internal.h"
#include "tacit/mechanisms/selection/testing/run_mechanism.h"
#include "tacit/mechanisms/testing/binomial_bounds.h"

namespace tacit {
namespace {

using testing::system_stream;

std::uint64_t ones(const BitCoin& coin, int words) {
  std::uint64_t count = 0;
  for (int i = 0; i < words; ++i) {
    count += static_cast<std::uint64_t>(std::popcount(coin.toss(system_stream())));
  }
  return count;
}

TEST(BitCoin, IsOneWithItsProbability) {
  constexpr int kWords = 20'000;
  for (const auto& [p, wrong] : {std::pair{0.25, mpq_class(11, 40)}, {0.1, mpq_class(11, 100)}}) {
    const mpq_class right = p == 0.25 ? mpq_class(1, 4) : mpq_class(1, 10);
    const auto contradicts = [&](const mpq_class& used, double stated) {
      return testing::contradicts(ones(BitCoin(used), kWords), 64 * kWords, stated, 1e-10);
    };
    EXPECT_FALSE(contradicts(right, p));
    EXPECT_TRUE(contradicts(wrong, p)) << "did not notice 10% more";
  }
}

TEST(BitCoin, OfZeroAndOneIsCertain) {
  EXPECT_EQ(BitCoin(mpq_class(0)).toss(system_stream()), 0U);
  EXPECT_EQ(BitCoin(mpq_class(1)).toss(system_stream()), ~std::uint64_t{0});
}

// A source that repeats one digit pattern in all lanes: every lane then holds the same uniform.
struct SameLanes {
  static constexpr unsigned kWordBits = 64;
  std::vector<bool> digits;
  std::size_t used = 0;
  std::uint64_t next() {
    return used < digits.size() && digits[used++] ? ~std::uint64_t{0} : std::uint64_t{0};
  }
  void fill(std::span<std::uint64_t> words) {
    for (std::uint64_t& word : words) word = next();
  }
};

// The decision tree, by enumeration: of all uniforms of 12 digits, those below p and no others. The
// fraction 1366/4096 is the first not below 1/3.
TEST(BitCoin, ComparesEveryUniformWithTheProbability) {
  for (const mpq_class& p : {mpq_class(1, 3), mpq_class(5, 8), mpq_class(1, 4096)}) {
    const BitCoin coin(p);
    for (unsigned uniform = 0; uniform < 4096; ++uniform) {
      SameLanes source;
      for (unsigned digit = 12; digit-- > 0;) source.digits.push_back((uniform >> digit & 1U) != 0);
      const bool below = mpq_class(uniform, 4096) < p;
      EXPECT_EQ(coin.toss(source), below ? ~std::uint64_t{0} : 0U) << uniform;
    }
  }
}

TEST(BitCoin, KnowsDigitsBeyondItsTable) {
  // 1/3 = 0.010101...; a uniform that agrees for 300 digits is decided by the next.
  const BitCoin third(mpq_class(1, 3));
  for (const bool below : {true, false}) {
    SameLanes source;
    for (int i = 0; i < 300; ++i) source.digits.push_back(i % 2 == 1);
    if (below) {
      source.digits.insert(source.digits.end(), {false, false});
    } else {
      source.digits.push_back(true);
    }
    EXPECT_EQ(third.toss(source), below ? ~std::uint64_t{0} : 0U);
  }
}

}  // namespace
}  // namespace tacit
