#include "tacit/attacks/candidate_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <random>

#include "tacit/attacks/testing/told_progress.h"

namespace tacit::attacks {
namespace {

using ::testing::ElementsAre;

TEST(Combinations, EachIsThereOnceInTheOrderOfRows) {
  const std::vector<std::vector<std::uint32_t>> columns{{5, 1, 5, 5}, {0, 0, 0, 2}};
  const Combinations all = Combinations::of(columns);
  EXPECT_THAT(all.of_row, ElementsAre(0, 1, 0, 2));
  EXPECT_THAT(all.counts, ElementsAre(2, 1, 1));
  EXPECT_THAT(all.first, ElementsAre(0, 1, 3));
  EXPECT_EQ(all.code(2, 1), 2);
}

// Four columns: exact, coarse, both mixed with stars, and unknown values.
class Pairs : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Pairs, AreThoseOfAComparisonOfEverybodyWithEverybody) {
  const std::vector<std::vector<std::string>> labels{
      {"0", "1", "2", "3", "4"}, {"0-1", "2-3", "4", "*"}, {"0", "1", "2-4", "*"}, {"0-2", "3-4"}};
  const std::vector<std::string> values{"0", "1", "2", "3", "4", ""};
  std::mt19937_64 generator(4);
  std::vector<Agreement> agreements;
  std::vector<std::vector<std::uint32_t>> released(4);
  std::vector<std::vector<std::uint32_t>> known(4);
  for (std::size_t column = 0; column < labels.size(); ++column) {
    const std::vector<GeneralizedValue> read(labels[column].begin(), labels[column].end());
    agreements.emplace_back(read, values);
    for (int row = 0; row < 150; ++row) {
      released[column].push_back(static_cast<std::uint32_t>(generator() % labels[column].size()));
      known[column].push_back(agreements[column].class_of(generator() % values.size()));
    }
  }
  const Combinations records = Combinations::of(released);
  const Combinations people = Combinations::of(known);
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  std::map<Pair, Disagreement> expected;
  for (std::uint32_t record = 0; record < records.size(); ++record) {
    for (std::uint32_t person = 0; person < people.size(); ++person) {
      Disagreement all = 0;
      for (std::size_t column = 0; column < agreements.size(); ++column) {
        const bool agrees =
            agreements[column].agrees(records.code(record, column), people.code(person, column));
        if (!agrees) all |= Disagreement{1} << column;
      }
      if (std::cmp_less_equal(std::popcount(all), GetParam())) expected[{record, person}] = all;
    }
  }
  std::map<Pair, Disagreement> pairs;
  testing::ToldProgress progress;
  find_pairs(
      records, people, agreements, GetParam(),
      [&](std::uint32_t record, std::uint32_t person, Disagreement disagreement) {
        EXPECT_TRUE(pairs.try_emplace({record, person}, disagreement).second);
      },
      progress.listener());
  EXPECT_TRUE(progress.was_told() && progress.is_whole());
  EXPECT_EQ(pairs, expected);
  EXPECT_FALSE(pairs.empty());
}

INSTANTIATE_TEST_SUITE_P(Misses, Pairs, ::testing::Values(0, 1, 2, 3));

}  // namespace
}  // namespace tacit::attacks
