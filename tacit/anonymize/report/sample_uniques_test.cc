#include "tacit/anonymize/report/sample_uniques.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "tacit/anonymize/testing/adult.h"

namespace tacit::anonymize {
namespace {

using Rows = std::vector<std::vector<std::uint32_t>>;

Records records_of(const Rows& rows) {
  RecordsBuilder builder(rows.front().size(), 0);
  for (const auto& row : rows) builder.add(row, {}, 1);
  return std::move(builder).build();
}

// Residence, gender, education and labour status of ten people: the example of the Statistical
// Disclosure Control Practice Guide (Benschop, Machingauta and Welch, 2019), with its scores.
TEST(SampleUniques, ScoresAsThePracticeGuide) {
  enum : std::uint32_t { kUrban, kRural };
  enum : std::uint32_t { kFemale, kMale };
  enum : std::uint32_t { kPrimaryCut, kPrimary, kSecondaryCut, kSecondary, kPostSecondary };
  enum : std::uint32_t { kEmployed, kUnemployed, kNoLabour };
  const Rows rows = {
      {kUrban, kFemale, kSecondaryCut, kEmployed}, {kUrban, kFemale, kSecondaryCut, kEmployed},
      {kUrban, kFemale, kPrimaryCut, kNoLabour},   {kUrban, kMale, kSecondary, kEmployed},
      {kRural, kFemale, kSecondary, kUnemployed},  {kUrban, kMale, kSecondary, kEmployed},
      {kUrban, kFemale, kPrimary, kNoLabour},      {kUrban, kMale, kPostSecondary, kUnemployed},
      {kUrban, kFemale, kSecondaryCut, kNoLabour}, {kUrban, kFemale, kSecondaryCut, kNoLabour},
  };
  const SampleUniques found = sample_uniques(records_of(rows), 3);
  // Records come in the order of their first rows: 1 and 2, 3, 4 and 6, 5, 7, 8, 9 and 10.
  EXPECT_EQ(found.scores, (std::vector<double>{0, 6, 0, 12, 6, 10, 0}));
  EXPECT_EQ(found.by_size, (std::vector<std::uint64_t>{4, 5, 0}));
  EXPECT_EQ(found.special, 4U);
  EXPECT_EQ(found.highest(), 12);
  // Residence: Rural (6), Urban with Unemployed (2).
  EXPECT_DOUBLE_EQ(found.contributions[0], 8.0 / 34);
  // Four rows alone and three pairs in a sample of one in a hundred.
  const double success = intrusion_success(4, 3, 0.01);
  EXPECT_DOUBLE_EQ(success, 0.04 / (0.04 + 0.99 * 6));
  EXPECT_DOUBLE_EQ(found.intrusion(12, success, 4), 4 * success * 12 / 34);
  EXPECT_EQ(found.intrusion(34, 1, 4), 1);
}

// All sets of columns of each row, from the definition.
std::vector<std::set<std::uint32_t>> by_definition(const Rows& rows, std::size_t largest) {
  const auto columns = static_cast<std::uint32_t>(rows.front().size());
  std::vector<std::set<std::uint32_t>> unique(rows.size());
  for (std::uint32_t set = 1; set < 1U << columns; ++set) {
    std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::vector<std::uint32_t> key;
      for (std::uint32_t c = 0; c < columns; ++c) {
        if ((set >> c & 1U) != 0) key.push_back(rows[i][c]);
      }
      groups[key].push_back(i);
    }
    for (const auto& [key, members] : groups) {
      if (members.size() == 1) unique[members.front()].insert(set);
    }
  }
  std::vector<std::set<std::uint32_t>> out(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const std::uint32_t set : unique[i]) {
      const bool is_minimal = std::ranges::none_of(
          unique[i], [&](std::uint32_t part) { return part != set && (part & set) == part; });
      const auto size = static_cast<std::size_t>(std::popcount(set));
      if (is_minimal && size <= largest) out[i].insert(set);
    }
  }
  return out;
}

TEST(SampleUniques, AreThoseOfTheDefinition) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 40; ++round) {
    const std::size_t columns = 2 + random() % 5;
    const std::size_t largest = 1 + random() % (columns - 1);
    Rows rows(1 + random() % 60, std::vector<std::uint32_t>(columns));
    for (auto& row : rows) {
      for (auto& cell : row) cell = static_cast<std::uint32_t>(random() % 4);
    }
    std::vector<std::uint64_t> by_size(largest);
    double total = 0;
    for (const auto& sets : by_definition(rows, largest)) {
      for (const std::uint32_t set : sets) {
        const auto size = static_cast<std::size_t>(std::popcount(set));
        ++by_size[size - 1];
        double worth = 1;
        for (std::size_t i = size; i <= largest; ++i) worth *= static_cast<double>(columns - i);
        total += worth;
      }
    }
    const SampleUniques found = sample_uniques(records_of(rows), largest);
    EXPECT_EQ(found.by_size, by_size) << "round " << round;
    EXPECT_DOUBLE_EQ(found.total(), total) << "round " << round;
  }
}

TEST(SampleUniques, OfAdult) {
  if (!std::filesystem::exists(testing::shared())) GTEST_SKIP() << "set TACIT_SHARED";
  const Records records = testing::table_of(testing::adult_rows()).records;
  const SampleUniques found = sample_uniques(records, 8);
  // Whoever is unique in all nine columns is so in a smallest set; those that need all nine are
  // not searched for.
  const auto alone = std::ranges::count(records.counts, 1U);
  EXPECT_LE(found.special, static_cast<std::uint64_t>(alone));
  EXPECT_GT(found.special, static_cast<std::uint64_t>(alone) / 2);
  // Values that one row has: the columns' own counts.
  std::uint64_t rare = 0;
  for (std::size_t c = 0; c < records.columns; ++c) {
    std::map<std::uint32_t, std::uint64_t> rows;
    for (std::size_t i = 0; i < records.size(); ++i)
      rows[records.record(i)[c]] += records.counts[i];
    rare += static_cast<std::uint64_t>(
        std::ranges::count_if(rows, [](const auto& value) { return value.second == 1; }));
  }
  EXPECT_EQ(found.by_size[0], rare);
}

// What only a population has hides nobody in the sample.
TEST(SampleUniques, AreThoseOfTheSample) {
  RecordsBuilder builder(2, 0);
  builder.add(std::vector<std::uint32_t>{0, 0}, {}, 1);
  builder.add(std::vector<std::uint32_t>{0, 1}, {}, 2);
  builder.add_population(std::vector<std::uint32_t>{1, 0}, 5);
  EXPECT_EQ(sample_uniques(std::move(builder).build(), 1).by_size, std::vector<std::uint64_t>{1});
}

TEST(SampleUniques, KnowTheEnds) {
  EXPECT_EQ(sample_uniques(Records{.columns = 3}, 2).special, 0U);
  const SampleUniques one = sample_uniques(records_of({{0, 0, 0}}), 2);
  EXPECT_EQ(one.by_size, (std::vector<std::uint64_t>{3, 0}));
  EXPECT_EQ(sample_uniques(records_of({{0}, {1}, {1}}), 3).scores, (std::vector<double>{1, 0}));
  EXPECT_EQ(intrusion_success(0, 0, 0.1), 0);
  EXPECT_EQ(intrusion_success(5, 2, 1), 1);
}

}  // namespace
}  // namespace tacit::anonymize
