#include "tacit/attacks/joint_exposure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/attacks/matching_classes.h"
#include "tacit/attacks/testing/released_rows.h"

namespace tacit::attacks {
namespace {

using ::testing::ElementsAre;
using testing::released_rows;

class JointExposureTest : public ::testing::Test {
 protected:
  static anonymize::Policy policy(const std::string& criteria, int k) {
    return anonymize::Policy::parse(
               "[columns]\n"
               "age = {role = \"quasi-identifier\", hierarchy = {intervals = [10, 20]}}\n"
               "illness = {role = \"sensitive\"" +
                   criteria + "}\n[privacy]\nk = " + std::to_string(k) + "\n",
               "policy.toml")
        .value();
  }

  static JointExposure exposure(const ReleasedTable& release,
                                const std::vector<ReleasedTable>& earlier,
                                const std::string& criteria = "", int k = 1) {
    const auto rules = policy(criteria, k);
    const ReleasedTable all = people();
    return joint_exposure(all, hierarchies_of(all, rules).value(), rules, release, earlier);
  }

  static ReleasedTable people() {
    return released_rows({"age", "illness"},
                         {{"21", "flu"}, {"26", "gout"}, {"33", "flu"}, {"34", "cold"}});
  }
  // As the people are, at ten years.
  static ReleasedTable tens() {
    return released_rows(
        {"age", "illness"},
        {{"20-29", "flu"}, {"20-29", "gout"}, {"30-39", "flu"}, {"30-39", "cold"}});
  }
};

TEST_F(JointExposureTest, TheSameReleaseTwiceExposesNobody) {
  const JointExposure found = exposure(tens(), {tens()}, ", criteria = {distinct_l = 2}", 2);
  EXPECT_EQ(found.checked, 4U);
  EXPECT_EQ(found.people(), 0U);
  EXPECT_TRUE(found.classes.empty());
}

TEST_F(JointExposureTest, FindsThoseOfWhomOneValueIsLeft) {
  // Together they leave gout alone of 26, in the class 20-29, and both values of the others.
  const auto earlier =
      released_rows({"age", "illness"},
                    {{"25-29", "gout"}, {"25-29", "measles"}, {"30-39", "flu"}, {"30-39", "cold"}});
  const JointExposure found = exposure(tens(), {earlier});
  EXPECT_EQ(found.checked, 3U);
  EXPECT_EQ(found.by_values, 1U);
  EXPECT_EQ(found.by_rows, 0U);
  EXPECT_THAT(found.classes, ElementsAre(0));
  ASSERT_EQ(found.victims.size(), 1U);
  EXPECT_EQ(found.victims[0].who, "age 26");
  EXPECT_EQ(found.victims[0].learned, "illness gout, 1 row");
}

TEST_F(JointExposureTest, WhatAReleaseGivesAwayByItselfIsNotTheWorkOfBoth) {
  const auto earlier = released_rows({"age", "illness"}, {{"26", "gout"}});
  EXPECT_EQ(exposure(tens(), {earlier}).people(), 0U);
  // But of the two rows in which 26 was hidden one is left.
  EXPECT_EQ(exposure(tens(), {earlier}, "", 2).by_rows, 1U);
}

TEST_F(JointExposureTest, LooksForTheRowsOfTheEarlierReleaseToo) {
  const auto release = released_rows(
      {"age", "illness"}, {{"26", "gout"}, {"26", "flu"}, {"26", "gout"}, {"26", "flu"}});
  const auto earlier = released_rows({"age", "illness"},
                                     {{"20-29", "gout"}, {"20-29", "flu"}, {"20-29", "measles"}});
  EXPECT_EQ(exposure(release, {earlier}, "", 2).people(), 0U);
  EXPECT_EQ(exposure(release, {earlier}, "", 3).by_rows, 1U);
}

TEST_F(JointExposureTest, AsksForAsManyValuesAsThePolicy) {
  const auto release =
      released_rows({"age", "illness"},
                    {{"20-39", "flu"}, {"20-39", "gout"}, {"20-39", "flu"}, {"20-39", "cold"}});
  const auto earlier = released_rows({"age", "illness"},
                                     {{"30-39", "flu"}, {"30-39", "cold"}, {"30-39", "measles"}});
  EXPECT_EQ(exposure(release, {earlier}).people(), 0U);
  EXPECT_EQ(exposure(release, {earlier}, ", criteria = {distinct_l = 3}").by_values, 2U);
  EXPECT_EQ(exposure(release, {earlier}, ", criteria = {entropy_l = 2.5}").by_values, 2U);
  EXPECT_EQ(exposure(release, {earlier}, ", criteria = {recursive_l = {c = 4, l = 3}}").by_values,
            2U);
}

TEST_F(JointExposureTest, WhoIsNotInBothIsNotExposed) {
  // 21 is not in the earlier release, whose class would tell of gout.
  const auto earlier = released_rows({"age", "illness"}, {{"20-24", "gout"}, {"20-24", "measles"}});
  const JointExposure found = exposure(tens(), {earlier});
  EXPECT_EQ(found.checked, 1U);
  EXPECT_EQ(found.people(), 0U);
}

TEST_F(JointExposureTest, SeveralEarlierReleasesTogetherTellMore) {
  const auto release = released_rows(
      {"age", "illness"}, {{"21", "flu"}, {"21", "gout"}, {"21", "cold"}, {"21", "measles"}});
  const auto first =
      released_rows({"age", "illness"}, {{"21", "flu"}, {"21", "gout"}, {"21", "x"}});
  const auto second =
      released_rows({"age", "illness"}, {{"21", "flu"}, {"21", "cold"}, {"21", "y"}});
  EXPECT_EQ(exposure(release, {first}).people(), 0U);
  EXPECT_EQ(exposure(release, {second}).people(), 0U);
  EXPECT_EQ(exposure(release, {first, second}).by_values, 1U);
}

}  // namespace
}  // namespace tacit::attacks
