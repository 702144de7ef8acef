#include "tacit/anonymize/methods/microaggregation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "tacit/anonymize/criteria/k_anonymity.h"
#include "tacit/anonymize/criteria/l_diversity.h"
#include "tacit/anonymize/testing/plain_table.h"

namespace tacit::anonymize {
namespace {

using testing::PlainTable;
using ::testing::UnorderedElementsAre;

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
