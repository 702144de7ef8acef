#include "tacit/anonymize/safepub/precision_score.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace tacit::anonymize {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// Two columns: four letters in pairs, then one; three digits, then one.
std::vector<Hierarchy> hierarchies() {
  const Rows letters = {{"a", "ab", "*"}, {"b", "ab", "*"}, {"c", "cd", "*"}, {"d", "cd", "*"}};
  const Rows digits = {{"1", "*"}, {"2", "*"}, {"3", "*"}};
  return {*Hierarchy::create(letters, "letter"), *Hierarchy::create(digits, "digit")};
}

PrecisionScore score(std::uint64_t threshold) {
  return {{{.most = 2, .top = 2, .weight = 3}, {.most = 1, .top = 1, .weight = 1}}, threshold};
}

Records records(const std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>& counts) {
  RecordsBuilder builder(2, 0);
  for (const auto& [leaves, rows] : counts) {
    builder.add(std::vector{leaves.first, leaves.second}, {}, rows);
  }
  return std::move(builder).build();
}

TEST(PrecisionScore, CountsClassesThatAreLikelyToStay) {
  EXPECT_EQ(score(10).counted(10), 0U);
  EXPECT_EQ(score(10).counted(11), 2U);
  EXPECT_EQ(score(10).counted(19), 18U);
  EXPECT_EQ(score(10).counted(20), 20U);
  EXPECT_EQ(score(10).counted(1000), 1000U);
}

TEST(PrecisionScore, IsThePrecisionOfTheirRows) {
  const PrecisionScore by = score(4);
  ASSERT_EQ(by.candidates(), 6U);
  EXPECT_EQ(by.node(0), (Node{0, 0}));
  EXPECT_EQ(by.node(1), (Node{0, 1}));
  EXPECT_EQ(by.node(5), (Node{2, 1}));
  EXPECT_EQ(by.precision({0, 0}), 1024);
  EXPECT_EQ(by.precision({1, 0}), 640);
  EXPECT_EQ(by.precision({0, 1}), 768);
  EXPECT_EQ(by.precision({2, 1}), 0);
  // Rows: a1 3, b1 6, c2 20, d3 1. So 24, 24, 29, 30, 29 and 30 count.
  const Records table = records({{{0, 0}, 3}, {{1, 0}, 6}, {{2, 1}, 20}, {{3, 2}, 1}});
  const std::vector<std::int64_t> want = {24576, 18432, 18560, 11520, 7424, 0};
  EXPECT_EQ(by.of(table, hierarchies()), want);
  EXPECT_EQ(by.of(records({}), hierarchies()), std::vector<std::int64_t>(6, 0));
}

TEST(PrecisionScore, TakesOnlyTheLevelsThatAreLeft) {
  const PrecisionScore by({{.least = 1, .most = 1, .top = 2}, {.most = 1, .top = 1}}, 4);
  ASSERT_EQ(by.candidates(), 2U);
  EXPECT_EQ(by.node(1), (Node{1, 1}));
  const Records table = records({{{0, 0}, 3}, {{1, 0}, 6}, {{2, 1}, 20}});
  EXPECT_EQ(by.of(table, hierarchies()), (std::vector<std::int64_t>{22272, 7424}));
}

// Theorem 2: one row more raises every score, by at most the stated sensitivity, which is reached.
TEST(PrecisionScore, OneRowMovesItByItsSensitivity) {
  std::mt19937_64 random(7);
  std::int64_t largest = 0;
  for (int round = 0; round < 200; ++round) {
    const PrecisionScore by = score(random() % 6);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> counts;
    for (std::uint64_t i = random() % 40; i > 0; --i) ++counts[{random() % 4, random() % 3}];
    const auto before = by.of(records(counts), hierarchies());
    ++counts[{random() % 4, random() % 3}];
    const auto after = by.of(records(counts), hierarchies());
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_GE(after[i], before[i]);
      largest = std::max(largest, after[i] - before[i]);
    }
  }
  EXPECT_EQ(largest, static_cast<std::int64_t>(PrecisionScore::kSensitivity));
}

}  // namespace
}  // namespace tacit::anonymize
