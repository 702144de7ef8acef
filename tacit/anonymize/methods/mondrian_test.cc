#include "tacit/anonymize/methods/mondrian.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <utility>

#include "tacit/anonymize/criteria/k_anonymity.h"
#include "tacit/anonymize/criteria/l_diversity.h"
#include "tacit/anonymize/criteria/risk_threshold.h"
#include "tacit/anonymize/criteria/t_closeness.h"
#include "tacit/anonymize/testing/adult.h"
#include "tacit/anonymize/testing/plain_table.h"

namespace tacit::anonymize {
namespace {

using testing::Lines;
using ::testing::UnorderedElementsAre;

// With an axis for each column.
struct Plain : testing::PlainTable {
  Plain(const Lines& lines, std::size_t sensitive) : PlainTable(lines, sensitive) {
    for (std::size_t c = 0; c < hierarchies.size(); ++c) {
      axes.push_back(Axis::sorted(records, hierarchies[c], c));
    }
  }

  std::vector<Axis> axes;
};

Criteria k_anonymous(std::uint64_t k) {
  Criteria out;
  out.classes.push_back(k_anonymity(k));
  return out;
}

// "25 .. 26|M|53711" for each class.
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

// Rows of two quasi-identifiers, the first with up to `most` values, and a sensitive column.
Plain random_table(std::mt19937& random, int rows, int most) {
  Lines lines;
  const auto draw = [&](int below) {
    return std::to_string(random() % static_cast<unsigned>(below));
  };
  for (int i = 0; i < rows; ++i) lines.push_back({draw(most), draw(4), draw(3)});
  return {lines, 1};
}

void expect_whole(const Records& records, const Partition& partition) {
  std::vector<std::uint64_t> rows(records.size());
  std::vector<std::uint64_t> sizes(partition.size());
  for (const Partition::Share& share : partition.shares) {
    rows[share.record] += share.rows;
    sizes[share.in] += share.rows;
  }
  EXPECT_EQ(rows, records.counts);
  EXPECT_EQ(sizes, partition.rows);
}

// The example of the paper (figures 2 and 3), where the first cut is along the widest axis here.
TEST(Mondrian, CutsThePatientsOfThePaper) {
  const Plain table({{"25", "M", "53711"},
                     {"25", "F", "53712"},
                     {"26", "M", "53711"},
                     {"27", "M", "53710"},
                     {"27", "F", "53712"},
                     {"28", "M", "53711"}},
                    0);
  const auto partition = mondrian(table.records, table.axes, k_anonymous(2), Cuts::kStrict);
  ASSERT_TRUE(partition);
  expect_whole(table.records, *partition);
  EXPECT_THAT(shown(*partition), UnorderedElementsAre("25 .. 26|{F, M}|53711 .. 53712",
                                                      "27 .. 28|{F, M}|53710 .. 53712"));
  // Sex first, as the paper does, where age and ZIP code are not that wide.
  const std::vector<Axis> by_sex{table.axes[1], table.axes[0], table.axes[2]};
  Records turned = table.records;
  for (std::size_t i = 0; i < turned.size(); ++i) {
    std::swap(turned.leaves[3 * i], turned.leaves[(3 * i) + 1]);
  }
  EXPECT_THAT(
      shown(*mondrian(turned, by_sex, k_anonymous(2), Cuts::kStrict)),
      UnorderedElementsAre("F|25 .. 27|53712", "M|25 .. 26|53711", "M|27 .. 28|53710 .. 53711"));
}

TEST(Mondrian, CutsUntilACutWouldBreakACriterion) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    const Plain table = random_table(random, 60, 2 + (round % 20));
    Criteria criteria = k_anonymous(3);
    criteria.classes.push_back(distinct_diversity(0, 2));
    criteria.classes.push_back(equal_closeness(table.records, 0, 0.4));
    const auto partition = mondrian(table.records, table.axes, criteria, Cuts::kStrict);
    ASSERT_TRUE(partition);
    expect_whole(table.records, *partition);
    EXPECT_FALSE(partition->splits_records());
    const Classes classes = partition->classes(table.records);
    std::vector<Histogram> room;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      for (const auto& each : criteria.classes) EXPECT_TRUE(each->holds(classes.view(i, room)));
    }
    const std::vector<std::string> all = shown(*partition);
    EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
  }
}

// Of k-anonymity alone: a class of at least 2k rows that is wide anywhere is cut in two.
TEST(Mondrian, RelaxedLeavesNoClassOfTwiceK) {
  std::mt19937 random(4);
  for (int round = 0; round < 100; ++round) {
    const Plain table = random_table(random, 80, 2 + (round % 5));
    const auto partition = mondrian(table.records, table.axes, k_anonymous(4), Cuts::kRelaxed);
    ASSERT_TRUE(partition);
    expect_whole(table.records, *partition);
    for (std::size_t i = 0; i < partition->size(); ++i) {
      EXPECT_GE(partition->rows[i], 4U);
      const bool is_one_value = !shown(*partition)[i].contains(" .. ");
      EXPECT_TRUE(partition->rows[i] < 8 || is_one_value) << shown(*partition)[i];
    }
  }
}

TEST(Mondrian, RelaxedDealsOutRowsThatAreAlike) {
  const Plain table({{"1"}, {"2"}, {"2"}, {"2"}, {"2"}, {"3"}}, 0);
  EXPECT_THAT(shown(*mondrian(table.records, table.axes, k_anonymous(2), Cuts::kStrict)),
              UnorderedElementsAre("1 .. 3"));
  const auto relaxed = mondrian(table.records, table.axes, k_anonymous(2), Cuts::kRelaxed);
  EXPECT_THAT(shown(*relaxed), UnorderedElementsAre("1 .. 2", "2 .. 3"));
  EXPECT_THAT(relaxed->rows, ::testing::ElementsAre(3, 3));
  EXPECT_TRUE(relaxed->splits_records());
}

TEST(Mondrian, FollowsTreesAndLeavesSmallChildrenTogetherWhereItMay) {
  const std::vector<Hierarchy> hierarchies{
      Hierarchy::create({{"a", "vowel"}, {"b", "consonant"}, {"c", "consonant"}, {"e", "vowel"}},
                        "letter")
          .value()};
  RecordsBuilder builder(1, 0);
  const std::array<std::uint64_t, 4> rows{5, 4, 1, 1};
  for (std::uint32_t leaf = 0; leaf < 4; ++leaf) builder.add(std::array{leaf}, {}, rows[leaf]);
  const Records records = std::move(builder).build();
  const auto axes = tree_axes(records, hierarchies);
  EXPECT_THAT(shown(*mondrian(records, axes, k_anonymous(2), Cuts::kStrict)),
              UnorderedElementsAre("vowel", "consonant"));
  EXPECT_THAT(shown(*mondrian(records, axes, k_anonymous(1), Cuts::kStrict)),
              UnorderedElementsAre("a", "b", "c", "e"));
  EXPECT_THAT(shown(*mondrian(records, axes, k_anonymous(6), Cuts::kRelaxed)),
              UnorderedElementsAre("*"));
}

// Of letters that are common enough each is shown, and the others stay one.
TEST(Mondrian, PoolsWhatCannotStandAlone) {
  const std::vector<Hierarchy> hierarchies{
      Hierarchy::create({{"a", "*"}, {"b", "*"}, {"c", "*"}, {"d", "*"}}, "letter").value()};
  RecordsBuilder builder(1, 0);
  const std::array<std::uint64_t, 4> rows{9, 5, 1, 1};
  for (std::uint32_t leaf = 0; leaf < 4; ++leaf) builder.add(std::array{leaf}, {}, rows[leaf]);
  const Records records = std::move(builder).build();
  const auto axes = tree_axes(records, hierarchies);
  EXPECT_THAT(shown(*mondrian(records, axes, k_anonymous(2), Cuts::kRelaxed)),
              UnorderedElementsAre("a", "b", "*"));
  // The two rows need company: the smallest of those that could stand alone.
  EXPECT_THAT(shown(*mondrian(records, axes, k_anonymous(3), Cuts::kRelaxed)),
              UnorderedElementsAre("a", "*"));
}

TEST(Mondrian, LeavesClassesLargerWhereTheWholeTableAsksForIt) {
  std::mt19937 random(5);
  const Plain table = random_table(random, 200, 50);
  Criteria criteria = k_anonymous(2);
  criteria.table.push_back(average_risk(0.1));
  const auto partition = mondrian(table.records, table.axes, criteria, Cuts::kStrict);
  ASSERT_TRUE(partition);
  EXPECT_LE(partition->size(), 20U);
  EXPECT_GT(mondrian(table.records, table.axes, k_anonymous(2), Cuts::kStrict)->size(), 40U);
  EXPECT_FALSE(mondrian(table.records, table.axes, k_anonymous(201), Cuts::kStrict));
  criteria.table.push_back(average_risk(0.001));
  EXPECT_FALSE(mondrian(table.records, table.axes, criteria, Cuts::kStrict));
}

TEST(Mondrian, CutsAdult) {
  if (!std::filesystem::exists(testing::shared() / "data")) GTEST_SKIP() << "no shared data";
  const testing::Table table = testing::table_of(testing::adult_rows());
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < table.hierarchies.size(); ++i) {
    axes.push_back(Axis::sorted(table.records, table.hierarchies[i], i));
  }
  const std::vector<Axis> trees = tree_axes(table.records, table.hierarchies);
  // What they lose, and how many classes they make, are in docs/anonymize.md.
  struct Case {
    std::span<const Axis> axes;
    Cuts cuts;
    std::size_t classes;
    double penalty;
  };
  for (const Case& each :
       {Case{axes, Cuts::kStrict, 2128, 0.1050}, Case{axes, Cuts::kRelaxed, 2241, 0.0893},
        Case{trees, Cuts::kStrict, 1481, 0.2102}, Case{trees, Cuts::kRelaxed, 1863, 0.1277}}) {
    const auto partition = mondrian(table.records, each.axes, k_anonymous(10), each.cuts);
    ASSERT_TRUE(partition);
    expect_whole(table.records, *partition);
    EXPECT_GE(std::ranges::min(partition->rows), 10U);
    EXPECT_EQ(partition->size(), each.classes);
    EXPECT_NEAR(partition->penalty(), each.penalty, 5e-5);
  }
}

}  // namespace
}  // namespace tacit::anonymize
