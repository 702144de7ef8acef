#include "tacit/attacks/differencing.h"

#include <gtest/gtest.h>

#include <random>

namespace tacit::attacks {
namespace {

using Values = std::vector<std::optional<std::int64_t>>;

TEST(Differencing, AllAndAllButOneGiveTheOneAway) {
  const SubsetSums released{.people = 4, .members = {{0, 1, 2, 3}, {0, 1, 3}}, .sums = {310, 220}};
  EXPECT_EQ(*differencing(released), (Values{{}, {}, 90, {}}));
}

// Pairs (a, b), (b, c), (a, c): each sum of two is harmless, together they are not.
TEST(Differencing, FindsCombinationsBeyondDifferences) {
  const SubsetSums released{.people = 3, .members = {{0, 1}, {1, 2}, {0, 2}}, .sums = {7, -1, 4}};
  EXPECT_EQ(*differencing(released), (Values{6, 1, -2}));
}

TEST(Differencing, LeavesInDoubtWhatIsInDoubt) {
  const SubsetSums released{
      .people = 4, .members = {{0, 1}, {2, 3}, {0, 1, 2, 3}}, .sums = {1, 2, 3}};
  EXPECT_EQ(*differencing(released), Values(4));
}

TEST(Differencing, RefusesSumsThatAreNotExact) {
  EXPECT_FALSE(differencing({.people = 2, .members = {{0}, {1}}, .sums = {0.5, 1}}));
  EXPECT_FALSE(differencing({.people = 2, .members = {{0}, {0}}, .sums = {1, 2}}));
  EXPECT_FALSE(differencing({.people = 1, .members = {{1}}, .sums = {1}}));
}

TEST(Differencing, FindsAllFromRandomSums) {
  std::mt19937_64 generator(3);
  SubsetSums released{.people = 40};
  std::vector<std::int64_t> secret;
  for (std::size_t i = 0; i < released.people; ++i) {
    secret.push_back(static_cast<std::int64_t>(generator() % 2001) - 1000);
  }
  for (int i = 0; i < 60; ++i) {
    auto& members = released.members.emplace_back();
    std::int64_t sum = 0;
    for (std::uint32_t person = 0; person < released.people; ++person) {
      if (generator() % 2 == 0) continue;
      members.push_back(person);
      sum += secret[person];
    }
    released.sums.push_back(static_cast<double>(sum));
  }
  EXPECT_EQ(*differencing(released), Values(secret.begin(), secret.end()));
}

}  // namespace
}  // namespace tacit::attacks
