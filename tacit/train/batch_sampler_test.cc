#include "tacit/train/batch_sampler.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace tacit::train {
namespace {

// The binomial tail, summed in rationals.
mpq_class exact_tail(unsigned long trials, const mpq_class& rate, unsigned long least) {
  mpq_class sum = 0;
  for (unsigned long k = least; k <= trials; ++k) {
    mpz_class ways;
    mpz_bin_uiui(ways.get_mpz_t(), trials, k);
    mpq_class term = ways;
    for (unsigned long i = 0; i < trials; ++i) term *= i < k ? rate : mpq_class(1 - rate);
    sum += term;
  }
  return sum;
}

TEST(OverflowProbability, IsAnUpperBoundAndClose) {
  for (const unsigned long least : {10UL, 14UL, 20UL, 35UL, 60UL}) {
    const mpq_class exact = exact_tail(60, mpq_class(1, 10), least);
    const auto bound = overflow_probability(60, *Rational::ratio(1, 10), least);
    ASSERT_TRUE(bound);
    EXPECT_GE(bound->mpq(), exact) << least;
    // Two digits, rounded up.
    EXPECT_LE(bound->mpq(), exact * mpq_class(111, 100)) << least;
  }
  EXPECT_EQ(*overflow_probability(60, *Rational::ratio(1, 10), 61), Rational(0));
  EXPECT_EQ(*overflow_probability(60, *Rational::ratio(1, 10), 6), Rational(1));
}

TEST(OverflowProbability, FindsTheLeastLargestBatch) {
  const Rational rate = *Rational::ratio(512, 60'000);
  const auto largest = largest_batch_for(60'000, rate, 1000, 1e-10);
  ASSERT_TRUE(largest);
  EXPECT_GT(*largest, 600U);
  EXPECT_LT(*largest, 720U);
  const Rational limit = *Rational::parse("1e-13");
  EXPECT_LE(*overflow_probability(60'000, rate, *largest), limit);
  EXPECT_GT(*overflow_probability(60'000, rate, *largest - 2), limit);
}

// Pearson's statistic of counts against equal chances. Chance gives more than 200 with ten degrees
// of freedom less often than once in 10^30.
double distance_from_uniform(const std::map<std::vector<std::int64_t>, int>& counts, int kinds,
                             int draws) {
  const double expected = static_cast<double>(draws) / kinds;
  double sum = expected * (kinds - static_cast<int>(counts.size()));
  for (const auto& [batch, count] : counts)
    sum += (count - expected) * (count - expected) / expected;
  return sum;
}

TEST(BatchSampler, DrawsEverySetOfAFixedSizeAlike) {
  auto stream = SecureStream::create();
  const auto sampler =
      BatchSampler::create({.kind = Sampling::Kind::kFixedSize}, *Rational::ratio(2, 5), 5);
  ASSERT_TRUE(sampler);
  constexpr int kDraws = 20'000;
  std::map<std::vector<std::int64_t>, int> counts;
  for (int i = 0; i < kDraws; ++i) ++counts[sampler->draw(*stream)];
  EXPECT_LT(distance_from_uniform(counts, 10, kDraws), 200);
  for (const auto& [batch, count] : counts) {
    EXPECT_EQ(batch.size(), 2U);
    EXPECT_LT(batch[0], batch[1]);
  }
  // Power: a sampler that takes the last place a fifth more often is seen.
  std::map<std::vector<std::int64_t>, int> wrong = counts;
  for (auto& [batch, count] : wrong) count += batch[1] == 4 ? kDraws / 50 : -kDraws / 75;
  EXPECT_GT(distance_from_uniform(wrong, 10, kDraws), 200);
}

TEST(BatchSampler, LeavesOverflowingBatchesEmpty) {
  auto stream = SecureStream::create();
  const auto sampler = BatchSampler::create(
      {.kind = Sampling::Kind::kTruncated, .largest_batch = 52}, *Rational::ratio(1, 2), 100);
  ASSERT_TRUE(sampler);
  int empty = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto batch = sampler->draw(*stream);
    EXPECT_LE(batch.size(), 52U);
    empty += batch.empty() ? 1 : 0;
  }
  // 309 in expectation, a standard deviation of 15; more than 10 of them has no chance.
  EXPECT_GT(empty, 150);
  EXPECT_LT(empty, 470);
}

TEST(BatchSampler, RefusesLawsWithoutMeaning) {
  const Rational half = *Rational::ratio(1, 2);
  EXPECT_FALSE(BatchSampler::create({}, 2, 10));
  EXPECT_FALSE(BatchSampler::create({.kind = Sampling::Kind::kFixedSize}, half, 11));
  EXPECT_FALSE(
      BatchSampler::create({.kind = Sampling::Kind::kTruncated, .largest_batch = 5}, half, 10));
  EXPECT_EQ((Sampling{.kind = Sampling::Kind::kTruncated, .largest_batch = 300}).to_text(),
            "Poisson truncated at 300");
}

}  // namespace
}  // namespace tacit::train
