#include "tacit/learn/pate/sanitiser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "tacit/learn/pate/vote_doubt.h"
#include "tacit/mechanisms/testing/binomial_bounds.h"
#include "tacit/mechanisms/testing/verdict.h"
#include "tacit/privacy/testing/permit_for_tests.h"
#include "tacit/privacy/zcdp.h"

namespace tacit::learn {
namespace {

VoteRecord agreement() {
  VoteRecord record(HindsightTable::create(25, 40, 10).value());
  const std::vector<std::uint64_t> votes{230, 10, 10, 0, 0, 0, 0, 0, 0, 0};
  for (int i = 0; i < 1000; ++i) record.add(gaussian_doubt(votes, 40, kVoteStep));
  return record;
}

TEST(Sanitiser, CostsWhatItsPlanSays) {
  const Sanitiser sanitiser = Sanitiser::create({}).value();
  const auto bound = zcdp_bound(sanitiser.cost());
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->rho, Rational(1) / 100);
  EXPECT_EQ(bound->delta, Rational(1) / 100'000'000);
}

TEST(Sanitiser, TellsNoLessThanTheTruthAndNotMuchMore) {
  const Sanitiser sanitiser = Sanitiser::create({.rho = 1}).value();
  SecureStream stream = SecureStream::create().value();
  const VoteRecord record = agreement();
  const double truth = std::ldexp(static_cast<double>(record.cost()), -40);
  const double change = std::ldexp(smooth_sensitivity(record, 0.02), -40);
  // One in 10^9 may be less than the truth, so two of fifty are in no run that anybody will see.
  int less = 0;
  for (int i = 0; i < 50; ++i) {
    const auto told = sanitiser.release(record, PermitForTests::mint(sanitiser.cost()), stream);
    ASSERT_TRUE(told);
    less += *told < truth ? 1 : 0;
    EXPECT_LE(*told, truth + 40 * change);
  }
  EXPECT_LE(less, 1);
}

// How many of so many pairs of releases lie further apart than one standard deviation of their
// difference, for a sanitiser of rho 1. Its scale is a power of two, and the smoothness is so small
// that it is always the same one: the mean, which lies a known number of deviations above the
// truth, tells which.
std::uint64_t far_pairs(const SanitiserPlan& plan, std::uint64_t pairs) {
  const Sanitiser sanitiser = Sanitiser::create(plan).value();
  SecureStream stream = SecureStream::create().value();
  const VoteRecord record = agreement();
  const double truth = std::ldexp(static_cast<double>(record.cost()), -40);
  std::vector<double> told;
  double sum = 0;
  for (std::uint64_t i = 0; i < 2 * pairs; ++i) {
    told.push_back(
        sanitiser.release(record, PermitForTests::mint(sanitiser.cost()), stream).value());
    sum += told.back() - truth;
  }
  constexpr double kDeviationsAbove = 6.1;  // at a confidence of 1 - 10^-9
  const double mean = sum / static_cast<double>(told.size());
  const double scale = std::exp2(std::round(std::log2(mean / kDeviationsAbove)));
  std::uint64_t far = 0;
  for (std::uint64_t i = 0; i < pairs; ++i) {
    if (std::abs(told[2 * i] - told[2 * i + 1]) > std::numbers::sqrt2 * scale) ++far;
  }
  return far;
}

// Noise a tenth smaller is noticed.
TEST(Sanitiser, AddsTheNoiseThatItsPlanSays) {
  constexpr std::uint64_t kPairs = 20'000;
  const double expected = std::erfc(1 / std::numbers::sqrt2);
  const Rational smoothness = Rational(1) / 200;
  const auto far = [&](const Rational& rho) {
    return far_pairs({.smoothness = smoothness, .rho = rho}, kPairs);
  };
  EXPECT_FALSE(testing::contradicts(far(1), kPairs, expected, testing::kFalseAlarm));
  EXPECT_TRUE(testing::contradicts(far(Rational(100) / 81), kPairs, expected, 1e-18));
}

TEST(Sanitiser, TakesNoOtherPermit) {
  const Sanitiser sanitiser = Sanitiser::create({}).value();
  const Sanitiser other = Sanitiser::create({.rho = 2}).value();
  SecureStream stream = SecureStream::create().value();
  EXPECT_FALSE(sanitiser.release(agreement(), PermitForTests::mint(other.cost()), stream));
}

TEST(Sanitiser, RefusesPlansWithoutMeaning) {
  EXPECT_FALSE(Sanitiser::create({.smoothness = 0}));
  EXPECT_FALSE(Sanitiser::create({.smoothness = Rational(1) / 1'000'000}));
  EXPECT_FALSE(Sanitiser::create({.rho = 0}));
  EXPECT_FALSE(Sanitiser::create({.delta = 0}));
  EXPECT_FALSE(Sanitiser::create({.delta = 1}));
}

}  // namespace
}  // namespace tacit::learn
