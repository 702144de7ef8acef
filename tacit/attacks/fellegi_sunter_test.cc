#include "tacit/attacks/fellegi_sunter.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <random>

namespace tacit::attacks {
namespace {

const std::vector<double> kM{0.95, 0.8, 0.99, 0.9, 0.6};
const std::vector<double> kU{0.01, 0.5, 0.003, 0.1, 0.05};

Disagreement drawn(const std::vector<double>& agreement, std::mt19937_64& generator) {
  Disagreement out = 0;
  for (std::size_t i = 0; i < agreement.size(); ++i) {
    if (!std::bernoulli_distribution(agreement[i])(generator)) out |= Disagreement{1} << i;
  }
  return out;
}

// 5,000 records beside 2,000 people, of whom 70% are somebody's own.
std::vector<ComparedRecord> records(std::size_t misses) {
  std::mt19937_64 generator(7);
  std::vector<ComparedRecord> out(5000);
  for (ComparedRecord& record : out) {
    std::map<Disagreement, double> people;
    const bool is_present = std::bernoulli_distribution(0.7)(generator);
    for (int person = 0; person < 2000; ++person) {
      // Nearly all disagree in the first or the third column; the rest need not be drawn.
      const bool is_own = is_present && person == 0;
      if (!is_own && generator() % 10 != 0) continue;
      const Disagreement pattern = drawn(is_own ? kM : kU, generator);
      if (std::cmp_less_equal(std::popcount(pattern), misses)) ++people[pattern];
    }
    record.people.assign(people.begin(), people.end());
  }
  return out;
}

class Learned : public ::testing::TestWithParam<std::size_t> {};

// Also where people of many disagreements were never looked at.
TEST_P(Learned, IsTheModelThatMadeTheRecords) {
  const auto model = FellegiSunter::learn(records(GetParam()), GetParam(), kU, 201);
  // About six standard errors of 3,500 own people.
  for (std::size_t i = 0; i < kM.size(); ++i) EXPECT_NEAR(model.m[i], kM[i], 0.05) << i;
  EXPECT_NEAR(model.present, 0.7, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Misses, Learned, ::testing::Values(2, 3, 5));

TEST(FellegiSunter, WeighsRareLabelsMore) {
  const auto model = FellegiSunter::learn(records(3), 3, kU, 201);
  EXPECT_NEAR(model.weight(0, true, 0.01), std::log(0.95 / 0.01), 0.05);
  EXPECT_LT(model.weight(0, false, 0.01), 0);
  EXPECT_GT(model.weight(0, true, 0.001), model.weight(0, true, 0.1));
  EXPECT_NEAR(model.prior(), std::log(0.7 / 201), 0.1);
  EXPECT_NEAR(model.nobody(3), 0.3, 0.07);
  EXPECT_NEAR(model.nobody(5), 0.3, 0.05);
}

// Everybody is there six times: a record still counts once.
TEST(FellegiSunter, LookAlikesDoNotPassForOwnPeople) {
  std::vector<ComparedRecord> all = records(3);
  for (ComparedRecord& record : all) {
    for (auto& [pattern, people] : record.people) people *= 6;
  }
  const auto model = FellegiSunter::learn(all, 3, kU, 6 * 201);
  for (std::size_t i = 0; i < kM.size(); ++i) EXPECT_NEAR(model.m[i], kM[i], 0.05) << i;
  EXPECT_NEAR(model.present, 0.7, 0.05);
}

TEST(FellegiSunter, OfNothingItStaysAtItsFirstGuess) {
  const auto model = FellegiSunter::learn({}, 1, {0.1, 0.1}, 10);
  EXPECT_EQ(model.m, (std::vector<double>{0.9, 0.9}));
}

}  // namespace
}  // namespace tacit::attacks
