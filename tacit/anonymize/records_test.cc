#include "tacit/anonymize/records.h"

#include <gtest/gtest.h>

namespace tacit::anonymize {
namespace {

using Leaves = std::vector<std::uint32_t>;

TEST(RecordsBuilder, PutsLinesOfOneCombinationTogether) {
  RecordsBuilder builder(2, 2);
  builder.add(Leaves{1, 2}, Leaves{5, 0}, 3);
  builder.add(Leaves{2, 1}, Leaves{4, 0}, 1);
  builder.add(Leaves{1, 2}, Leaves{4, 0}, 2);
  builder.add(Leaves{1, 2}, Leaves{5, 1}, 1);
  const Records records = std::move(builder).build();
  EXPECT_EQ(records.rows, 7U);
  EXPECT_EQ(records.leaves, (Leaves{1, 2, 2, 1}));
  EXPECT_EQ(records.counts, (std::vector<std::uint64_t>{6, 1}));
  EXPECT_TRUE(records.population.empty());
  ASSERT_EQ(records.sensitive.size(), 2U);
  EXPECT_EQ(records.sensitive[0].ends, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(records.sensitive[0].values, (Leaves{4, 5, 4}));
  EXPECT_EQ(records.sensitive[0].counts, (std::vector<std::uint64_t>{2, 4, 1}));
  EXPECT_EQ(records.sensitive[0].totals(), (std::vector<std::uint64_t>{0, 0, 0, 0, 3, 4}));
  EXPECT_EQ(records.sensitive[1].totals(), (std::vector<std::uint64_t>{6, 1}));
}

TEST(RecordsBuilder, KnowsThePopulationOfEachCombination) {
  RecordsBuilder builder(1, 0);
  builder.add_population(Leaves{7}, 10);
  builder.add(Leaves{8}, {}, 2);
  builder.add_population(Leaves{8}, 5);
  builder.add(Leaves{9}, {}, 1);
  const Records records = std::move(builder).build();
  EXPECT_EQ(records.rows, 3U);
  EXPECT_EQ(records.counts, (std::vector<std::uint64_t>{0, 2, 1}));
  EXPECT_EQ(records.population, (std::vector<std::uint64_t>{10, 5, 0}));
}

TEST(RecordsBuilder, FindsEachOfManyCombinationsAgain) {
  RecordsBuilder builder(3, 0);
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < 1000; ++i) builder.add(Leaves{i % 10, i / 100, i}, {}, 1);
  }
  const Records records = std::move(builder).build();
  ASSERT_EQ(records.size(), 1000U);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(records.counts[i], 2U);
    EXPECT_EQ(records.record(i)[2], i);
  }
}

}  // namespace
}  // namespace tacit::anonymize
