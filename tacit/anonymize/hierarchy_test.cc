#include "tacit/anonymize/hierarchy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;

TEST(Hierarchy, KnowsWhatEachLeafBecomes) {
  const auto age = Hierarchy::create(
      {{"7", "0-9", "*"}, {"12", "10-19", "*"}, {"19", "10-19", "*"}, {"3", "0-9", "*"}}, "age");
  ASSERT_TRUE(age) << age.error().message();
  EXPECT_EQ(age->levels(), 3U);
  EXPECT_EQ(age->leaves(), 4U);
  EXPECT_EQ(age->size(1), 2U);
  const auto nineteen = age->find("19");
  ASSERT_TRUE(nineteen);
  EXPECT_EQ(age->label(0, age->at(0, *nineteen)), "19");
  EXPECT_EQ(age->label(1, age->at(1, *nineteen)), "10-19");
  EXPECT_EQ(age->label(2, age->at(2, *nineteen)), "*");
  EXPECT_EQ(age->share(0, *nineteen), 0.25);
  EXPECT_EQ(age->share(1, *nineteen), 0.5);
  EXPECT_EQ(age->share(2, *nineteen), 1);
  EXPECT_FALSE(age->find("20"));
}

std::string refusal(const std::vector<std::vector<std::string>>& rows) {
  const auto made = Hierarchy::create(rows, "age");
  return made ? "" : made.error().message();
}

TEST(Hierarchy, RefusesWhatIsNone) {
  EXPECT_THAT(refusal({}), HasSubstr("no values"));
  EXPECT_THAT(refusal({{}}), HasSubstr("no values"));
  EXPECT_THAT(refusal({{"1", "*"}, {"2"}}), HasSubstr("line 2 has 1 fields, and line 1 has 2"));
  EXPECT_THAT(refusal({{"1", "*"}, {"1", "*"}}), HasSubstr("'1' stands in it twice"));
  // Two that are one below are one above.
  EXPECT_THAT(refusal({{"1", "low", "few"}, {"2", "low", "many"}}),
              HasSubstr("'low' becomes both 'few' and 'many' at level 2"));
}

}  // namespace
}  // namespace tacit::anonymize
