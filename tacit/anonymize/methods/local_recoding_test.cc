#include "tacit/anonymize/methods/local_recoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tacit/anonymize/criteria/k_anonymity.h"
#include "tacit/anonymize/criteria/l_diversity.h"
#include "tacit/anonymize/measure.h"
#include "tacit/anonymize/search.h"
#include "tacit/anonymize/testing/adult.h"
#include "tacit/anonymize/testing/letters.h"

namespace tacit::anonymize {
namespace {

using ::testing::UnorderedElementsAre;

Criteria k_anonymous(std::uint64_t k) {
  Criteria out;
  out.classes.push_back(k_anonymity(k));
  return out;
}

std::vector<std::string> shown(const Partition& partition) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < partition.size(); ++i) {
    out.push_back(partition.label(i, 0) + partition.label(i, 1));
  }
  return out;
}

// At the top all letters are one; a and b are common enough to be told apart, c and d are not.
TEST(LocalRecoding, ShowsMoreWhereTheCriteriaAllowIt) {
  const testing::Letters letters;
  const std::vector<bool> all(4, true);
  const auto recode = [&](std::uint64_t k, const Node& node, const std::vector<bool>& kept) {
    return recode_locally(letters.records(), letters.hierarchies(), k_anonymous(k), node, kept);
  };
  EXPECT_THAT(shown(*recode(2, {2, 1}, all)), UnorderedElementsAre("a+", "b+", "cd-"));
  EXPECT_THAT(shown(*recode(3, {2, 1}, all)), UnorderedElementsAre("**"));
  EXPECT_THAT(shown(*recode(2, {1, 1}, {true, true, false, false})),
              UnorderedElementsAre("a+", "b+"));
  EXPECT_FALSE(recode(2, {0, 0}, all));
}

TEST(LocalRecoding, SuppressesCellsAndNotRows) {
  const testing::Letters letters;
  const auto partition = suppress_cells(letters.records(), letters.hierarchies(), k_anonymous(2));
  ASSERT_TRUE(partition);
  EXPECT_THAT(shown(*partition), UnorderedElementsAre("a+", "b+", "*-"));
}

class LocalRecodingOfAdult : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(testing::shared() / "data")) GTEST_SKIP() << "no shared data";
    table_ = testing::table_of(testing::adult_rows(), "occupation");
    criteria_ = k_anonymous(5);
    criteria_.classes.push_back(distinct_diversity(0, 3));
    criteria_.most_suppressed = table_.records.rows / 25;
  }

  void expect_satisfied(const Partition& partition) const {
    const Classes classes = partition.classes(table_.records);
    std::vector<Histogram> room;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      for (const auto& each : criteria_.classes) {
        EXPECT_TRUE(each->holds(classes.view(i, room)));
      }
    }
  }

  testing::Table table_;
  Criteria criteria_;
};

// Every cell is at the node's level or below: what it shows is a part of what the node shows.
TEST_F(LocalRecodingOfAdult, ShowsNoLessThanTheBestGlobalRecoding) {
  const auto measure = loss_measure(table_.records, table_.hierarchies);
  Search search(table_.records, table_.hierarchies, *measure, criteria_);
  const auto best = search.optimum();
  ASSERT_TRUE(best);
  const auto is_kept = search.kept_records(best->node);
  const auto partition =
      recode_locally(table_.records, table_.hierarchies, criteria_, best->node, is_kept);
  ASSERT_TRUE(partition);
  expect_satisfied(*partition);
  std::vector<std::uint64_t> rows(table_.records.size());
  for (const Partition::Share& share : partition->shares) {
    rows[share.record] += share.rows;
    for (std::size_t c = 0; c < table_.hierarchies.size(); ++c) {
      const Hierarchy& hierarchy = table_.hierarchies[c];
      const std::uint32_t leaf = table_.records.record(share.record)[c];
      bool is_below = false;
      for (std::size_t level = 0; level <= best->node[c]; ++level) {
        is_below = is_below || hierarchy.label(level, hierarchy.at(level, leaf)) ==
                                   partition->label(share.in, c);
      }
      EXPECT_TRUE(is_below) << partition->label(share.in, c);
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i], is_kept[i] ? table_.records.counts[i] : 0);
  }
}

TEST_F(LocalRecodingOfAdult, SuppressesCells) {
  const auto partition = suppress_cells(table_.records, table_.hierarchies, criteria_);
  ASSERT_TRUE(partition);
  expect_satisfied(*partition);
  std::uint64_t rows = 0;
  for (const Partition::Share& share : partition->shares) {
    rows += share.rows;
    for (std::size_t c = 0; c < table_.hierarchies.size(); ++c) {
      const std::string& label = partition->label(share.in, c);
      const std::uint32_t leaf = table_.records.record(share.record)[c];
      EXPECT_TRUE(label == "*" || label == table_.hierarchies[c].label(0, leaf)) << label;
    }
  }
  EXPECT_EQ(rows, table_.records.rows);
}

}  // namespace
}  // namespace tacit::anonymize
