#include "tacit/attacks/matching_classes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/attacks/testing/released_rows.h"

namespace tacit::attacks {
namespace {

using ::testing::ElementsAre;

TEST(MatchingClasses, ClimbsHierarchiesAndReadsOtherLabels) {
  const auto people =
      testing::released_rows({"age", "town", "illness"},
                             {{"27", "Rome", "flu"}, {"34", "Oslo", "flu"}, {"61", "Bern", "flu"}});
  const std::vector<anonymize::Hierarchy> hierarchies{
      anonymize::Hierarchy::create({{"27", "*"}, {"34", "*"}, {"61", "*"}}, "age").value(),
      anonymize::Hierarchy::create(
          {{"Rome", "south", "*"}, {"Oslo", "north", "*"}, {"Bern", "middle", "*"}}, "town")
          .value()};
  // Classes that overlap, labels of the hierarchy beside free ones.
  const auto release = testing::released_rows({"age", "town", "illness"}, {{"20-29", "south", "x"},
                                                                           {"20-39", "*", "x"},
                                                                           {"*", "north", "x"},
                                                                           {"61", "Bern", "x"},
                                                                           {"61", "Oslo", "x"}});
  const MatchingClasses matching(release, people, hierarchies);
  EXPECT_THAT(matching.of(0), ElementsAre(0, 1));
  EXPECT_THAT(matching.of(1), ElementsAre(1, 2));
  EXPECT_THAT(matching.of(2), ElementsAre(3));
}

TEST(MatchingClasses, AColumnThatTheReleaseLacksTellsNothing) {
  const auto people =
      testing::released_rows({"age", "sex", "illness"}, {{"27", "f", "flu"}, {"34", "m", "flu"}});
  const std::vector<anonymize::Hierarchy> hierarchies{
      anonymize::Hierarchy::create({{"27"}, {"34"}}, "age").value(),
      anonymize::Hierarchy::create({{"f"}, {"m"}}, "sex").value()};
  const auto release = testing::released_rows({"sex", "illness"}, {{"f", "flu"}, {"m", "flu"}});
  EXPECT_THAT(MatchingClasses(release, people, hierarchies).of(1), ElementsAre(1));
  const auto other = testing::released_rows({"town", "illness"}, {{"Rome", "flu"}, {"-", "flu"}});
  EXPECT_THAT(MatchingClasses(other, people, hierarchies).of(1), ElementsAre(0, 1));
}

}  // namespace
}  // namespace tacit::attacks
