#include "tacit/anonymize/methods/microaggregation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "tacit/anonymize/criteria/k_anonymity.h"
#include "tacit/anonymize/criteria/l_diversity.h"
#include "tacit/anonymize/testing/plain_table.h"

namespace tacit::anonymize {
namespace {

using testing::PlainTable;
using ::testing::UnorderedElementsAre;
using ::testing::UnorderedElementsAreArray;

Criteria k_anonymous(std::uint64_t k) {
  Criteria out;
  out.classes.push_back(k_anonymity(k));
  return out;
}

std::vector<std::string> shown(const Partition& partition) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < partition.size(); ++i) {
    std::string& text = out.emplace_back();
    for (std::size_t c = 0; c < partition.columns(); ++c) {
      text += (c == 0 ? "" : "|") + partition.label(i, c);
    }
  }
  return out;
}

// Two clusters of numbers and what lies between: the ends are taken first.
TEST(Microaggregation, TakesGroupsFromTheEnds) {
  const PlainTable table({{"1"}, {"2"}, {"3"}, {"50"}, {"51"}, {"55"}, {"97"}, {"98"}, {"102"}}, 0);
  const auto means =
      microaggregate(table.records, table.hierarchies, k_anonymous(3), Center::kMean);
  ASSERT_TRUE(means);
  EXPECT_THAT(shown(*means), UnorderedElementsAre("2", "52", "99"));
  EXPECT_TRUE(means->shows_values);
  EXPECT_THAT(
      shown(*microaggregate(table.records, table.hierarchies, k_anonymous(3), Center::kMedian)),
      UnorderedElementsAre("2", "51", "98"));
}

TEST(Microaggregation, KeepsDecimalsAndTakesTheMostFrequentText) {
  const PlainTable table({{"1.25", "a"}, {"1.5", "a"}, {"2", "b"}, {"", "c"}}, 0);
  const auto one = microaggregate(table.records, table.hierarchies, k_anonymous(4), Center::kMean);
  ASSERT_TRUE(one);
  EXPECT_THAT(shown(*one), UnorderedElementsAre("1.58|a"));
  EXPECT_FALSE(microaggregate(table.records, table.hierarchies, k_anonymous(5), Center::kMean));
}

// Groups have at least k rows and, where no record has many, fewer than 2 k; means keep the sum.
TEST(Microaggregation, MakesGroupsOfAboutK) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::vector<std::string>> lines;
    double before = 0;
    for (int i = 0; i < 200; ++i) {
      const auto x = random() % 1'000'000;
      before += static_cast<double>(x);
      lines.push_back({std::to_string(x), std::to_string(random() % 1'000'000)});
    }
    const PlainTable table(lines, 0);
    const auto partition =
        microaggregate(table.records, table.hierarchies, k_anonymous(5), Center::kMean);
    ASSERT_TRUE(partition);
    double after = 0;
    std::uint64_t rows = 0;
    for (std::size_t i = 0; i < partition->size(); ++i) {
      EXPECT_GE(partition->rows[i], 5U);
      EXPECT_LT(partition->rows[i], 10U);
      rows += partition->rows[i];
      after += static_cast<double>(partition->rows[i]) * std::stod(partition->label(i, 0));
    }
    EXPECT_EQ(rows, 200U);
    EXPECT_NEAR(after, before, 200);
    // Far better than groups at random, which span most of both columns.
    EXPECT_LT(partition->penalty(), 0.25);
  }
}

// Groups of three in one column of numbers, by the definition: everything is sorted anew for each.
std::vector<std::vector<int>> groups_by_definition(std::vector<int> left) {
  std::vector<std::vector<int>> out;
  const auto farthest = [&](double from) {
    return *std::ranges::max_element(left, {}, [&](int x) { return std::abs(x - from); });
  };
  const auto take = [&](int from) {
    std::ranges::sort(left, {}, [&](int x) { return std::pair(std::abs(x - from), x); });
    out.emplace_back(left.begin(), left.begin() + 3);
    std::ranges::sort(out.back());
    left.erase(left.begin(), left.begin() + 3);
  };
  const auto end = [&] {
    return farthest(std::accumulate(left.begin(), left.end(), 0.0) /
                    static_cast<double>(left.size()));
  };
  while (left.size() >= 9) {
    const int one = end();
    const int other = farthest(one);
    take(one);
    if (std::ranges::find(left, other) != left.end()) take(other);
  }
  if (left.size() >= 6) take(end());
  out.push_back(left);
  std::ranges::sort(out.back());
  return out;
}

TEST(Microaggregation, IsMaximumDistanceToTheAverageVector) {
  std::mt19937 random(9);
  for (int round = 0; round < 20; ++round) {
    // So few of so many that hardly two are as far from a third.
    std::set<int> values;
    while (values.size() < 100) values.insert(static_cast<int>(random() % 1'000'000'000));
    std::vector<std::vector<std::string>> lines;
    for (const int value : values) lines.push_back({std::to_string(value)});
    std::ranges::shuffle(lines, random);
    const PlainTable table(lines, 0);
    const auto partition =
        microaggregate(table.records, table.hierarchies, k_anonymous(3), Center::kMedian);
    ASSERT_TRUE(partition);
    std::vector<std::vector<int>> groups(partition->size());
    for (const auto& share : partition->shares) {
      const std::uint32_t leaf = table.records.record(share.record)[0];
      groups[share.in].push_back(std::stoi(table.hierarchies[0].label(0, leaf)));
    }
    for (auto& group : groups) std::ranges::sort(group);
    EXPECT_THAT(groups,
                UnorderedElementsAreArray(groups_by_definition({values.begin(), values.end()})));
  }
}

TEST(Microaggregation, EndsWhereTheWatchSays) {
  std::vector<std::vector<std::string>> lines;
  for (int i = 0; i < 100; ++i) lines.push_back({std::to_string(i)});
  const PlainTable table(lines, 0);
  std::vector<std::uint64_t> done;
  const auto grouped = [&](std::size_t asks) {
    done.clear();
    return microaggregate(table.records, table.hierarchies, k_anonymous(5), Center::kMean,
                          [&](std::uint64_t so_far, std::uint64_t whole) {
                            EXPECT_EQ(whole, 100U * 100U);
                            done.push_back(so_far);
                            return done.size() < asks;
                          });
  };
  EXPECT_FALSE(grouped(3));
  EXPECT_EQ(done.size(), 3U);
  EXPECT_TRUE(grouped(1000));
  EXPECT_TRUE(std::ranges::is_sorted(done));
  EXPECT_EQ(done.front(), 0U);
  EXPECT_GT(done.back(), 9000U);
}

TEST(Microaggregation, GroupsGrowUntilTheySatisfyTheCriteria) {
  std::mt19937 random(8);
  std::vector<std::vector<std::string>> lines;
  for (int i = 0; i < 300; ++i) {
    lines.push_back({std::to_string(random() % 1000), random() % 8 == 0 ? "ill" : "well"});
  }
  const PlainTable table(lines, 1);
  Criteria criteria = k_anonymous(3);
  criteria.classes.push_back(distinct_diversity(0, 2));
  const auto partition = microaggregate(table.records, table.hierarchies, criteria, Center::kMean);
  ASSERT_TRUE(partition);
  const Classes classes = partition->classes(table.records);
  std::vector<Histogram> room;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    for (const auto& each : criteria.classes) EXPECT_TRUE(each->holds(classes.view(i, room)));
  }
  EXPECT_GT(partition->size(), 10U);
}

}  // namespace
}  // namespace tacit::anonymize
