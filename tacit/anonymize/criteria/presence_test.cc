#include "tacit/anonymize/criteria/presence.h"

#include <gtest/gtest.h>

#include <array>

#include "tacit/anonymize/classes.h"

namespace tacit::anonymize {
namespace {

TEST(Presence, KMapCountsThePopulation) {
  const auto five = k_map(5);
  EXPECT_TRUE(five->holds({.rows = 1, .population = 5}));
  EXPECT_FALSE(five->holds({.rows = 4, .population = 4}));
  EXPECT_TRUE(five->is_hopeless({.rows = 4, .population = 4}));
  EXPECT_EQ(five->merging(), Merging::kAbsorbs);
}

TEST(Presence, DeltaPresenceBoundsThePartThatIsThere) {
  Criteria criteria;
  add_delta_presence(criteria, 0, 0.5);
  EXPECT_TRUE(criteria.table.empty());
  const Criterion& most = *criteria.classes.front();
  EXPECT_TRUE(most.holds({.rows = 2, .population = 4}));
  EXPECT_FALSE(most.holds({.rows = 3, .population = 4}));
  // Rows of nobody whom the population knows.
  EXPECT_FALSE(most.holds({.rows = 3, .population = 0}));
}

TEST(Presence, WhoIsCertainlyAbsentBreaksTheLeastPresence) {
  RecordsBuilder builder(1, 0);
  builder.add(std::array{0U}, {}, 1);
  builder.add_population(std::array{0U}, 4);
  builder.add(std::array{1U}, {}, 2);
  builder.add_population(std::array{1U}, 4);
  const Records records = std::move(builder).build();
  const std::vector<Hierarchy> hierarchies{
      Hierarchy::create({{"a", "*"}, {"b", "*"}}, "letter").value()};
  Grouper grouper(records, hierarchies);
  Criteria criteria;
  add_delta_presence(criteria, 0.25, 1);
  const TableCriterion& least = *criteria.table.front();
  EXPECT_TRUE(least.holds(grouper.finest(), std::array<std::uint8_t, 2>{1, 1}));
  EXPECT_FALSE(least.holds(grouper.finest(), std::array<std::uint8_t, 2>{0, 1}));
  const Classes one = grouper.coarsen(grouper.finest(), {1});
  EXPECT_EQ(one.population, std::vector<std::uint64_t>{8});
  EXPECT_TRUE(least.holds(one, std::array<std::uint8_t, 1>{1}));
}

}  // namespace
}  // namespace tacit::anonymize
