#include "tacit/learn/pate/hindsight.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "tacit/learn/pate/vote_cost.h"
#include "tacit/learn/pate/vote_doubt.h"

namespace tacit::learn {
namespace {

constexpr double kOrder = 25;
constexpr double kDeviation = 12;
constexpr double kSmoothness = 0.05;
constexpr std::uint64_t kClasses = 4;

using Counts = std::vector<std::uint64_t>;

HindsightTable table() { return HindsightTable::create(kOrder, kDeviation, kClasses).value(); }

VoteRecord record_of(const std::vector<Counts>& votes) {
  VoteRecord out(table());
  for (const Counts& counts : votes) out.add(gaussian_doubt(counts, kDeviation, kVoteStep));
  return out;
}

// The votes of 100 teachers on some questions, and the same after one of them has changed its mind.
std::pair<std::vector<Counts>, std::vector<Counts>> neighbours() {
  std::vector<Counts> votes(*rc::gen::inRange<std::size_t>(1, 20), Counts(kClasses, 0));
  for (Counts& counts : votes) {
    const auto favourite = *rc::gen::inRange<std::size_t>(0, kClasses);
    counts[favourite] = *rc::gen::inRange<std::uint64_t>(0, 99);
    for (std::uint64_t left = 100 - counts[favourite]; left > 0; --left) {
      ++counts[*rc::gen::inRange<std::size_t>(0, kClasses)];
    }
  }
  auto changed = votes;
  for (Counts& counts : changed) {
    const auto from = *rc::gen::suchThat(rc::gen::inRange<std::size_t>(0, kClasses),
                                         [&](std::size_t i) { return counts[i] > 0; });
    --counts[from];
    ++counts[*rc::gen::inRange<std::size_t>(0, kClasses)];
  }
  return {votes, changed};
}

TEST(HindsightTable, IsNoLessThanTheTheoremSays) {
  const HindsightTable costs = table();
  for (std::uint64_t lead = 0; lead <= 400; ++lead) {
    const double doubt = gaussian_doubt(Counts{lead, 0, 0, 0}, kDeviation, kVoteStep);
    const double told = std::ldexp(static_cast<double>(costs.cost(costs.place(doubt))), -40);
    const double exact = gaussian_vote_cost(std::log(doubt), kDeviation, kOrder);
    EXPECT_GE(told, exact);
    // Its place has a margin less by a part of what one teacher can do.
    EXPECT_LE(told,
              gaussian_vote_cost(std::log(gaussian_doubt(Counts{lead > 0 ? lead - 1 : 0, 0, 0, 0},
                                                         kDeviation, kVoteStep)),
                                 kDeviation, kOrder) +
                  1e-8);
  }
}

TEST(HindsightTable, DoesNotGrowWithTheMargin) {
  const HindsightTable costs = table();
  for (std::int64_t place = costs.first() - 3; place < costs.last() + 3; ++place) {
    EXPECT_GE(costs.cost(place), costs.cost(place + 1));
  }
}

RC_GTEST_PROP(Hindsight, NeighboursLieWithinReach, ()) {
  const auto [votes, changed] = neighbours();
  const HindsightTable costs = table();
  for (std::size_t i = 0; i < votes.size(); ++i) {
    const auto here = costs.place(gaussian_doubt(votes[i], kDeviation, kVoteStep));
    const auto there = costs.place(gaussian_doubt(changed[i], kDeviation, kVoteStep));
    RC_ASSERT(std::abs(here - there) <= HindsightTable::kReach);
  }
}

// With a test before the vote, on either side of the threshold. The test has less noise than the
// vote here, or more.
RC_GTEST_PROP(Hindsight, NeighboursLieWithinReachWithATest, ()) {
  const auto [votes, changed] = neighbours();
  const double test_deviation = *rc::gen::element(3.0, 8.0, 20.0, 100.0);
  const auto threshold = *rc::gen::inRange<std::uint64_t>(0, 150);
  const double deviation =
      1 / std::hypot(1 / kDeviation, 1 / (std::numbers::sqrt2 * test_deviation));
  const HindsightTable costs = HindsightTable::create(kOrder, deviation, kClasses + 1).value();
  const auto place = [&](const Counts& counts) {
    return costs.place(confident_doubt(counts, kDeviation, threshold, test_deviation, kVoteStep));
  };
  for (std::size_t i = 0; i < votes.size(); ++i) {
    RC_ASSERT(std::abs(place(votes[i]) - place(changed[i])) <= HindsightTable::kReach);
  }
}

RC_GTEST_PROP(Hindsight, OfLaplaceNoiseNeighboursLieWithinReach, ()) {
  const auto [votes, changed] = neighbours();
  const double scale = *rc::gen::element(0.25, 3.0, 12.0, 200.0);
  const HindsightTable costs = HindsightTable::create_for_laplace(kOrder, scale).value();
  const auto place = [&](const Counts& counts) {
    return costs.place(laplace_doubt(counts, scale, kVoteStep));
  };
  for (std::size_t i = 0; i < votes.size(); ++i) {
    RC_ASSERT(std::abs(place(votes[i]) - place(changed[i])) <= HindsightTable::kReach);
  }
}

TEST(HindsightTable, OfLaplaceNoiseIsNoLessThanTheTheoremSays) {
  const HindsightTable costs = HindsightTable::create_for_laplace(kOrder, kDeviation).value();
  std::uint64_t before = costs.cost(costs.first());
  for (std::uint64_t lead = 0; lead <= 2000; ++lead) {
    const double doubt = laplace_doubt(Counts{lead, 0, 0, 0}, kDeviation, kVoteStep);
    const std::uint64_t units = costs.cost(costs.place(doubt));
    EXPECT_GE(std::ldexp(static_cast<double>(units), -40),
              pure_vote_cost(std::log(doubt), 2 / kDeviation, kOrder));
    EXPECT_LE(units, before);
    before = units;
  }
  EXPECT_LT(std::ldexp(static_cast<double>(before), -40), 1e-9);
}

// 8 places of the 9 are taken: the reach is not wide by accident.
TEST(Hindsight, NeighboursUseTheirReach) {
  const HindsightTable costs = table();
  const auto place = [&](const Counts& votes) {
    return costs.place(gaussian_doubt(votes, kDeviation, kVoteStep));
  };
  EXPECT_GE(place({80, 10, 0, 0}) - place({79, 11, 0, 0}), 7);
}

RC_GTEST_PROP(Hindsight, SensitivityIsTrueAndSmooth, ()) {
  const auto [votes, changed] = neighbours();
  const VoteRecord record = record_of(votes);
  const VoteRecord other = record_of(changed);
  const double here = smooth_sensitivity(record, kSmoothness);
  const double there = smooth_sensitivity(other, kSmoothness);
  const double difference =
      std::abs(static_cast<double>(record.cost()) - static_cast<double>(other.cost()));
  RC_ASSERT(difference <= here);
  RC_ASSERT(std::abs(std::log(here / there)) <= kSmoothness + 1e-12);
}

// Without looking further than the table itself the sensitivity of neighbours would jump.
TEST(Hindsight, LocalSensitivityAloneIsNotSmooth) {
  const HindsightTable costs = table();
  bool jumps = false;
  for (std::int64_t place = costs.first(); place < costs.last(); ++place) {
    const auto here = static_cast<double>(costs.change(place));
    const auto there = static_cast<double>(costs.change(place + HindsightTable::kReach));
    jumps = jumps || here > there * std::exp(kSmoothness);
  }
  EXPECT_TRUE(jumps);
}

TEST(Hindsight, RefusesWhatHasNoTable) {
  EXPECT_FALSE(HindsightTable::create(1, 10, 2));
  EXPECT_FALSE(HindsightTable::create(10, 0.1, 2));
  EXPECT_FALSE(HindsightTable::create(10, 5000, 2));
  EXPECT_FALSE(HindsightTable::create(10, 10, 1));
  EXPECT_FALSE(HindsightTable::create(0x1p20, 1, 2));
  EXPECT_FALSE(HindsightTable::create_for_laplace(1, 10));
  EXPECT_FALSE(HindsightTable::create_for_laplace(10, 0.1));
}

TEST(Hindsight, NamesTheNoiseThatItRefuses) {
  EXPECT_EQ(HindsightTable::create(10, 5000, 2).error().where, "deviation");
  EXPECT_EQ(HindsightTable::create_for_laplace(10, 5000).error().where, "scale");
}

}  // namespace
}  // namespace tacit::learn
