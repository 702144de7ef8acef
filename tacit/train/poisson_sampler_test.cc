#include "tacit/train/poisson_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tacit::train {
namespace {

// Whether a number of successes is one that chance gives, but for 1e-10: Hoeffding's bound.
bool is_likely(std::uint64_t successes, std::uint64_t trials, double rate) {
  const auto n = static_cast<double>(trials);
  return std::abs(static_cast<double>(successes) - n * rate) < std::sqrt(n * 12);
}

TEST(PoissonSampler, TakesEachExampleWithTheRate) {
  constexpr std::uint64_t kExamples = 10'000;
  constexpr std::uint64_t kBatches = 100;
  const auto sampler = PoissonSampler::create(*Rational::ratio(1, 3), kExamples);
  auto stream = SecureStream::create();
  ASSERT_TRUE(sampler && stream);
  std::uint64_t taken = 0;
  std::uint64_t first = 0;
  for (std::uint64_t i = 0; i < kBatches; ++i) {
    const auto batch = sampler->draw(*stream);
    EXPECT_TRUE(std::ranges::is_sorted(batch));
    EXPECT_EQ(std::ranges::adjacent_find(batch), batch.end());
    taken += batch.size();
    if (!batch.empty() && batch.front() == 0) ++first;
  }
  EXPECT_TRUE(is_likely(taken, kExamples * kBatches, 1.0 / 3));
  EXPECT_TRUE(is_likely(first, kBatches, 1.0 / 3));
  // Power: batches of a fixed size would not vary; a rate 2% off is seen.
  EXPECT_FALSE(is_likely(taken, kExamples * kBatches, 1.02 / 3));
  EXPECT_FALSE(is_likely(taken, kExamples * kBatches, 0.98 / 3));
}

TEST(PoissonSampler, DrawsBatchesOfManySizes) {
  const auto sampler = PoissonSampler::create(*Rational::ratio(1, 2), 64);
  auto stream = SecureStream::create();
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 200; ++i) sizes.push_back(sampler->draw(*stream).size());
  const auto [least, most] = std::ranges::minmax(sizes);
  EXPECT_GT(most, least + 4);  // a range of 4 or less has a probability below 1e-30
}

TEST(PoissonSampler, AnEmptyBatchIsABatch) {
  const auto sampler = PoissonSampler::create(Rational::power_of_two(-60), 5);
  auto stream = SecureStream::create();
  EXPECT_TRUE(sampler->draw(*stream).empty());
  EXPECT_EQ(PoissonSampler::create(1, 5)->draw(*stream).size(), 5U);
}

TEST(PoissonSampler, RefusesRatesAndPopulationsWithoutMeaning) {
  EXPECT_FALSE(PoissonSampler::create(0, 5));
  EXPECT_FALSE(PoissonSampler::create(*Rational::ratio(6, 5), 5));
  EXPECT_FALSE(PoissonSampler::create(*Rational::ratio(1, 5), 0));
}

}  // namespace
}  // namespace tacit::train
