#include "tacit/learn/pate/sanitiser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacit/learn/pate/vote_doubt.h"
#include "tacit/privacy/testing/permit_for_tests.h"
#include "tacit/privacy/zcdp.h"

namespace tacit::learn {
namespace {

std::vector<VoteRecord> agreement() {
  VoteRecord record(HindsightTable::create(25, 40, 10).value());
  const std::vector<std::uint64_t> votes{230, 10, 10, 0, 0, 0, 0, 0, 0, 0};
  for (int i = 0; i < 1000; ++i) record.add(gaussian_doubt(votes, 40, kVoteStep));
  return {record};
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
  const auto records = agreement();
  const double truth = std::ldexp(static_cast<double>(records.front().cost()), -40);
  const double change = std::ldexp(smooth_sensitivity(records, 0.02), -40);
  for (int i = 0; i < 50; ++i) {
    const auto told = sanitiser.release(records, PermitForTests::mint(sanitiser.cost()), stream);
    ASSERT_TRUE(told);
    EXPECT_GE(*told, truth);
    EXPECT_LE(*told, truth + 40 * change);
  }
}

TEST(Sanitiser, TakesNoOtherPermit) {
  const Sanitiser sanitiser = Sanitiser::create({}).value();
  const Sanitiser other = Sanitiser::create({.rho = 2}).value();
  SecureStream stream = SecureStream::create().value();
  EXPECT_FALSE(sanitiser.release(agreement(), PermitForTests::mint(other.cost()), stream));
}

TEST(Sanitiser, RefusesPlansWithoutMeaning) {
  EXPECT_FALSE(Sanitiser::create({.smoothness = 0}));
  EXPECT_FALSE(Sanitiser::create({.rho = 0}));
  EXPECT_FALSE(Sanitiser::create({.delta = 0}));
  EXPECT_FALSE(Sanitiser::create({.delta = 1}));
}

}  // namespace
}  // namespace tacit::learn
