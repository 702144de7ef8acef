#include "tacit/random/bernoulli.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "tacit/random/bernoulli_internal.h"
#include "tacit/random/testing/decision_tree.h"
#include "tacit/random/testing/goodness_of_fit.h"
#include "tacit/random/testing/reference.h"
#include "tacit/random/testing/scripted_stream.h"

namespace tacit {
namespace {

using testing::Interval;
using testing::reference_exp;
using testing::ScriptedStream;

constexpr unsigned kShort = 5;

template <Path path>
testing::Enumeration<bool> walk(const BiasedCoin& coin) {
  const auto toss = [&](auto& source) { return coin.toss<path>(source); };
  return testing::enumerate<kShort, bool>(toss, 4);
}

void expect_bias(const BiasedCoin& coin, const Interval& stated) {
  const auto found = walk<Path::kFastThenExact>(coin);
  const auto heads = found.mass.contains(true) ? found.mass.at(true) : mpq_class(0);
  EXPECT_LE(heads, stated.hi);
  EXPECT_GE(heads + found.open, stated.lo);
  // All but one path of four words is decided.
  EXPECT_LE(found.open, mpq_class(1, 1 << 20));
  EXPECT_EQ(found.mass, walk<Path::kExactOnly>(coin).mass);
}

TEST(Bernoulli, HasItsBiasExactly) {
  for (const mpq_class& p : {mpq_class(0), mpq_class(1, 1000), mpq_class(1, 3), mpq_class(1, 2),
                             mpq_class(5, 32), mpq_class(22, 23), mpq_class(1)}) {
    expect_bias(BiasedCoin::rational(p, kShort), testing::exactly(p));
  }
  for (const mpq_class& x : {mpq_class(1, 1000), mpq_class(1, 3), mpq_class(1), mpq_class(50)}) {
    expect_bias(BiasedCoin::exponential(x, kShort), reference_exp(x));
  }
  expect_bias(BiasedCoin::exponential(0, kShort), testing::exactly(1));
}

TEST(Bernoulli, BeyondTheRangeTheNearerEndCounts) {
  auto stream = SecureStream::create().value();
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(sample_bernoulli(stream, -1));
    EXPECT_FALSE(sample_bernoulli(stream, 0));
    EXPECT_TRUE(sample_bernoulli(stream, 1));
    EXPECT_TRUE(sample_bernoulli(stream, 2));
    EXPECT_TRUE(sample_bernoulli_exp(stream, 0));
    EXPECT_TRUE(sample_bernoulli_exp(stream, -3));
    EXPECT_FALSE(sample_bernoulli_exp(stream, Rational::power_of_two(100)));
  }
}

TEST(Bernoulli, PathsAgreeOnTheBorder) {
  for (const mpq_class& x : {mpq_class(1, 7), mpq_class(3), mpq_class(40), mpq_class(1, 1 << 30)}) {
    const BiasedCoin coin = BiasedCoin::exponential(x, 64);
    const mpq_class scaled = reference_exp(x).lo * (mpz_class(1) << 64);
    const std::uint64_t border = to_word(scaled.get_num() / scaled.get_den());
    for (const std::uint64_t offset : {~0UL, 0UL, 1UL}) {
      for (std::uint64_t seed = 0; seed < 50; ++seed) {
        ScriptedStream fast({border + offset}, seed);
        ScriptedStream exact({border + offset}, seed);
        EXPECT_EQ(coin.toss<Path::kFastThenExact>(fast), coin.toss<Path::kExactOnly>(exact));
        EXPECT_EQ(fast.drawn(), exact.drawn());
        EXPECT_EQ(fast.drawn(), offset == 0 ? 2U : 1U);
      }
    }
  }
}

template <class Draw>
double frequency(std::size_t count, const Draw& draw) {
  const auto values = std::make_unique<bool[]>(count);
  const std::span<bool> span(values.get(), count);
  draw(span);
  return static_cast<double>(std::ranges::count(span, true)) / static_cast<double>(count);
}

TEST(Bernoulli, VectorsHaveTheFrequency) {
  auto stream = SecureStream::create().value();
  constexpr std::size_t kCount = 200000;
  const Rational p = Rational::ratio(3, 10).value();
  const double drawn = frequency(kCount, [&](auto span) { fill_bernoulli(stream, p, span); });
  EXPECT_TRUE(testing::plausible(drawn, 0.3, kCount, 1));
  EXPECT_FALSE(testing::plausible(drawn, 0.27, kCount, 1));
  const double exponential =
      frequency(kCount, [&](auto span) { fill_bernoulli_exp(stream, p, span); });
  EXPECT_TRUE(testing::plausible(exponential, std::exp(-0.3), kCount, 1));
  EXPECT_FALSE(testing::plausible(exponential, std::exp(-0.33), kCount, 1));
}

}  // namespace
}  // namespace tacit
