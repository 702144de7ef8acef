#include "tacit/ledger/account.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tacit {
namespace {

Amount amount(std::int64_t value) { return Amount::round_up(value).value(); }
Spend spend(std::vector<std::int64_t> divergences, std::int64_t delta) {
  Spend result;
  for (const std::int64_t value : divergences) result.divergences.push_back(amount(value));
  result.delta = amount(delta);
  return result;
}

TEST(AccountId, ReadsNames) {
  EXPECT_EQ(AccountId::parse("visits")->dataset, "visits");
  EXPECT_EQ(AccountId::parse("visits/alice.b-2_c")->analyst, "alice.b-2_c");
  EXPECT_EQ(AccountId::parse("visits/alice")->to_string(), "visits/alice");
  for (const std::string text : {"", "/", "a/", "/a", "a/b/c", "-a", ".", "a b", "a\n", "ä"}) {
    EXPECT_FALSE(AccountId::parse(text)) << text;
  }
  EXPECT_TRUE(AccountId::parse(std::string(64, 'a')));
  EXPECT_FALSE(AccountId::parse(std::string(65, 'a')));
}

TEST(Tally, AddRemoveTakesTheLargestPartAtEachOrder) {
  const Tally tally{.whole = spend({1, 1}, 1),
                    .parts = {spend({5, 2}, 0), spend({3, 4}, 7), spend({0, 0}, 0)}};
  EXPECT_EQ(tally.total(Neighbours::kAddRemove).value(), spend({6, 5}, 8));
}

TEST(Tally, ReplaceTakesTheTwoLargestPartsAtEachOrder) {
  const Tally tally{.whole = spend({1, 1}, 1),
                    .parts = {spend({5, 2}, 0), spend({3, 4}, 7), spend({4, 1}, 2)}};
  EXPECT_EQ(tally.total(Neighbours::kReplace).value(), spend({10, 7}, 10));
}

TEST(Tally, WithoutPartsOnlyTheWholeCounts) {
  const Tally tally{.whole = spend({3}, 1), .parts = {}};
  EXPECT_EQ(tally.total(Neighbours::kAddRemove).value(), spend({3}, 1));
  EXPECT_EQ(tally.total(Neighbours::kReplace).value(), spend({3}, 1));
  const Tally one{.whole = spend({3}, 1), .parts = {spend({2}, 1)}};
  EXPECT_EQ(one.total(Neighbours::kReplace).value(), spend({5}, 2));
}

TEST(Spend, FitsOnlyIfEveryOrderAndTheDeltaDo) {
  EXPECT_TRUE(spend({1, 2}, 3).fits(spend({1, 2}, 3)));
  EXPECT_FALSE(spend({2, 2}, 3).fits(spend({1, 9}, 9)));
  EXPECT_FALSE(spend({1, 3}, 3).fits(spend({9, 2}, 9)));
  EXPECT_FALSE(spend({1, 2}, 4).fits(spend({9, 9}, 3)));
}

// Every pair of neighbours is a unit in one part (add/remove) or moving between two (replace): the
// total must cover each of them, and be reached by one.
RC_GTEST_PROP(TallyProperty, TheTotalIsTheWorstPair, ()) {
  const auto small = rc::gen::inRange<std::int64_t>(0, 20);
  const auto parts = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(small));
  const std::int64_t whole = *small;
  Tally tally{.whole = spend({whole}, 0), .parts = {}};
  for (const std::int64_t part : parts) tally.parts.push_back(spend({part}, 0));
  std::int64_t one = 0;
  std::int64_t two = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    one = std::max(one, parts[i]);
    two = std::max(two, parts[i]);
    for (std::size_t k = 0; k < i; ++k) two = std::max(two, parts[i] + parts[k]);
  }
  RC_ASSERT(tally.total(Neighbours::kAddRemove).value() == spend({whole + one}, 0));
  RC_ASSERT(tally.total(Neighbours::kReplace).value() == spend({whole + two}, 0));
}

}  // namespace
}  // namespace tacit
