#include "tacit/anonymize/safepub/public_hierarchy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

using Labels = std::vector<std::string>;

PublicHierarchy made(const HierarchyRule& rule) {
  return *PublicHierarchy::create(rule, "column", "policy.toml:3");
}

TEST(PublicHierarchy, IsAFunctionOfOneValue) {
  const PublicHierarchy intervals =
      made(rule::Intervals{.widths = {5, 10}, .from = Rational(0), .to = Rational(90)});
  EXPECT_EQ(intervals.levels(), 4U);
  EXPECT_EQ(intervals.labels("39"), (Labels{"39", "[35, 40)", "[30, 40)", "*"}));
  EXPECT_EQ(intervals.labels("39.5"), (Labels{"39.5", "[35, 40)", "[30, 40)", "*"}));
  EXPECT_EQ(intervals.labels("-1"), (Labels{"-1", "<0", "<0", "*"}));
  EXPECT_EQ(intervals.labels("old"), (Labels{"old", "*", "*", "*"}));
  EXPECT_EQ(intervals.labels(""), (Labels{"", "*", "*", "*"}));
  EXPECT_EQ(intervals.labels("1/2").size(), 4U);

  const PublicHierarchy mask = made(rule::Mask{.levels = 2});
  EXPECT_EQ(mask.labels("02139"), (Labels{"02139", "0213*", "021**", "*"}));
  EXPECT_EQ(mask.labels("0"), (Labels{"0", "*", "*", "*"}));
  const PublicHierarchy prefix = made(rule::Prefix{.lengths = {3, 1}});
  EXPECT_EQ(prefix.labels("E11.9"), (Labels{"E11.9", "E11*", "E*", "*"}));
  const PublicHierarchy date = made(rule::DateParts{.parts = {rule::DateParts::Part::kYear}});
  EXPECT_EQ(date.labels("1987-11-30"), (Labels{"1987-11-30", "1987", "*"}));
  EXPECT_EQ(date.labels("in May"), (Labels{"in May", "*", "*"}));
  EXPECT_EQ(made(rule::Suppress{}).labels("x"), (Labels{"x", "*"}));
  EXPECT_EQ(PublicHierarchy::unchanged().labels("x"), (Labels{"x"}));
  EXPECT_EQ(PublicHierarchy::unchanged().labels(""), (Labels{""}));
}

TEST(PublicHierarchy, ListsTakeOtherValuesToo) {
  const PublicHierarchy order = made(rule::Order{.values = {"S", "M", "L"}, .sizes = {2}});
  EXPECT_EQ(order.labels("M"), (Labels{"M", "S .. M", "*"}));
  EXPECT_EQ(order.labels("XL"), (Labels{"XL", "*", "*"}));

  const Scratch folder;
  const std::filesystem::path file = folder / "cities.csv";
  std::ofstream(file) << "Bonn;Germany;Europe\nLyon;France;Europe\n";
  const PublicHierarchy cities = made(rule::Taxonomy{.file = file});
  EXPECT_EQ(cities.levels(), 3U);
  EXPECT_EQ(cities.labels("Lyon"), (Labels{"Lyon", "France", "Europe"}));
  EXPECT_EQ(cities.labels("Oslo"), (Labels{"Oslo", "*", "*"}));
  EXPECT_EQ(cities.labels(""), (Labels{"", "*", "*"}));

  std::ofstream(file) << "*;x;*\nBonn;*;Europe\n";
  const auto refused = PublicHierarchy::create(rule::Taxonomy{.file = file}, "city", "p.toml:4");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "p.toml:4");
  EXPECT_NE(refused.error().what.find("'*' becomes something else"), std::string::npos);
  std::filesystem::remove(file);
  EXPECT_FALSE(PublicHierarchy::create(rule::Taxonomy{.file = file}, "city", "p.toml:4"));
}

TEST(PublicHierarchy, RefusesWhatIsLearntFromRows) {
  for (const HierarchyRule& rule :
       {HierarchyRule(rule::Quantiles{.groups = {4}}), HierarchyRule(rule::Mask{}),
        HierarchyRule(rule::Order{.sizes = {2}})}) {
    const auto refused = PublicHierarchy::create(rule, "zip", "policy.toml:3");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().what.find("learnt from the rows"), std::string::npos);
  }
}

// Whatever the values, those that are one at a level are one above.
TEST(PublicHierarchy, LevelsRefineEachOther) {
  const Labels odd = {"",           "*",     "**",           "a",   "a*",  "ab",    "0",
                      "00",         "1e2",   "100",          "1/2", "0.5", "-3",    "39",
                      "2020-02-29", "E11",   "E11.9",        "E*",  "\n",  "ü",     "üß",
                      "[35, 40)",   "1e400", "2020-13-99 x", "<0",  "S",   "S .. M"};
  for (const HierarchyRule& rule :
       {HierarchyRule(rule::Intervals{.widths = {5, 10}, .from = Rational(0), .to = Rational(90)}),
        HierarchyRule(rule::Mask{.levels = 2}),
        HierarchyRule(rule::Mask{.from = rule::Mask::From::kLeft, .levels = 1}),
        HierarchyRule(rule::Prefix{.lengths = {3, 1}}),
        HierarchyRule(rule::DateParts{
            .parts = {rule::DateParts::Part::kQuarter, rule::DateParts::Part::kDecade}}),
        HierarchyRule(rule::Order{.values = {"S", "M", "*"}, .sizes = {2}}),
        HierarchyRule(rule::Suppress{})}) {
    const auto hierarchy = PublicHierarchy::create(rule, "column", "policy.toml:3");
    if (!hierarchy) continue;
    std::vector<Labels> rows;
    for (const std::string& value : odd) rows.push_back(hierarchy->labels(value));
    const auto together = Hierarchy::create(rows, "column");
    EXPECT_TRUE(together) << together.error().what;
  }
}

}  // namespace
}  // namespace tacit::anonymize
