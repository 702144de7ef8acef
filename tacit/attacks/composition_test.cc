#include "tacit/attacks/composition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/attacks/testing/released_rows.h"

namespace tacit::attacks {
namespace {

using ::testing::ElementsAre;

std::vector<anonymize::Hierarchy> ages() {
  return {anonymize::Hierarchy::create({{"21", "20-29"}, {"26", "20-29"}, {"33", "30-39"}}, "age")
              .value()};
}

TEST(CompositionTest, LeavesTheValuesThatAllReleasesLeave) {
  const auto people = testing::released_rows(
      {"age", "illness"}, {{"21", "flu"}, {"26", "gout"}, {"33", "flu"}, {"33", "cold"}});
  const std::vector<ReleasedTable> releases{
      testing::released_rows(
          {"age", "illness"},
          {{"20-29", "flu"}, {"20-29", "gout"}, {"30-39", "flu"}, {"30-39", "cold"}}),
      // Two more people, who are not in the first.
      testing::released_rows({"age", "illness"}, {{"20-24", "flu"},
                                                  {"20-24", "cold"},
                                                  {"25-39", "gout"},
                                                  {"25-39", "flu"},
                                                  {"25-39", "cold"},
                                                  {"25-39", "fracture"}})};
  const Composition all(people, 0, ages(), std::vector{&releases[0], &releases[1]});
  const auto young = all.of(0);
  EXPECT_TRUE(young.is_everywhere());
  EXPECT_THAT(young.together, ElementsAre(0));  // flu
  EXPECT_EQ(young.alone[0].size(), 2U);
  EXPECT_EQ(young.alone[1].size(), 2U);
  EXPECT_EQ(all.rows_with(0, young.classes[0], young.together), 1U);
  EXPECT_EQ(all.of(1).together.size(), 2U);

  const Report report = composition(people, 0, ages(), releases);
  EXPECT_EQ(report.targets, 4U);
  EXPECT_EQ(report.successes, 1U);
  EXPECT_EQ(report.baseline, 0);
  EXPECT_TRUE(report.beats_guessing());
  ASSERT_EQ(report.victims.size(), 1U);
  EXPECT_EQ(report.victims[0].who, "age 21");
  EXPECT_EQ(report.victims[0].learned, "illness flu");
}

TEST(CompositionTest, OneReleaseGainsNothingAndWrongValuesAreNoSuccess) {
  const auto people = testing::released_rows({"age", "illness"}, {{"21", "flu"}, {"33", "cold"}});
  const std::vector<ReleasedTable> one{
      testing::released_rows({"age", "illness"}, {{"20-29", "flu"}, {"30-39", "gout"}})};
  const Report report = composition(people, 0, ages(), one);
  EXPECT_EQ(report.successes, 1U);
  EXPECT_EQ(report.baseline, 0.5);
  EXPECT_FALSE(report.beats_guessing());
  EXPECT_EQ(report.finding,
            "1 are known for certain from one release, 1 from all; of 1 a wrong value is told");
}

TEST(CompositionTest, PeopleWhomAReleaseLacksAreNoTargets) {
  const auto people = testing::released_rows({"age", "illness"}, {{"21", "flu"}, {"33", "cold"}});
  const std::vector<ReleasedTable> releases{
      testing::released_rows({"age", "illness"}, {{"20-29", "flu"}, {"30-39", "cold"}}),
      testing::released_rows({"age", "illness"}, {{"20-29", "flu"}})};
  EXPECT_EQ(composition(people, 0, ages(), releases).targets, 1U);
}

}  // namespace
}  // namespace tacit::attacks
