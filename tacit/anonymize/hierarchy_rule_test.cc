#include "tacit/anonymize/hierarchy_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tacit/ledger/testing/scratch.h"

namespace tacit::anonymize {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Value> values(const std::vector<std::string>& texts) {
  std::vector<Value> out;
  for (const std::string& text : texts) out.push_back({.text = text, .rows = 1});
  return out;
}

// What a value becomes, level by level.
std::vector<std::string> path(const Hierarchy& hierarchy, const std::string& value) {
  std::vector<std::string> out;
  const std::uint32_t leaf = hierarchy.find(value).value();
  for (std::size_t level = 0; level < hierarchy.levels(); ++level) {
    out.push_back(hierarchy.label(level, hierarchy.at(level, leaf)));
  }
  return out;
}

Hierarchy built(const HierarchyRule& rule, const std::vector<std::string>& texts) {
  auto hierarchy = build_hierarchy(rule, values(texts), "c");
  if (!hierarchy) ADD_FAILURE() << hierarchy.error().message();
  return *std::move(hierarchy);
}

std::string refusal(const HierarchyRule& rule, const std::vector<std::string>& texts) {
  const auto hierarchy = build_hierarchy(rule, values(texts), "c");
  return hierarchy ? "" : hierarchy.error().message();
}

TEST(HierarchyRule, Intervals) {
  const rule::Intervals rule{.widths = {5, 10}, .from = Rational(0), .to = Rational(92)};
  const Hierarchy ages = built(rule, {"39", "-2", "91", "92", "120", ""});
  EXPECT_THAT(path(ages, "39"), ElementsAre("39", "35-39", "30-39", "*"));
  EXPECT_THAT(path(ages, "-2"), ElementsAre("-2", "<0", "<0", "*"));
  EXPECT_THAT(path(ages, "91"), ElementsAre("91", "90-91", "90-91", "*"));
  EXPECT_THAT(path(ages, "120"), ElementsAre("120", ">=92", ">=92", "*"));
  EXPECT_THAT(path(ages, ""), ElementsAre("", "", "", "*"));
  EXPECT_THAT(path(built(rule::Intervals{.widths = {2}}, {"-3.5", "1"}), "-3.5"),
              ElementsAre("-3.5", "[-4, -2)", "*"));
  EXPECT_THAT(path(built(rule::Intervals{.widths = {2}}, {"-3"}), "-3"),
              ElementsAre("-3", "-4 to -3", "*"));
  EXPECT_THAT(refusal(rule, {"1", "old"}), HasSubstr("'old' is not a number"));
}

TEST(HierarchyRule, Quantiles) {
  const auto hierarchy = build_hierarchy(
      rule::Quantiles{.groups = {4, 2}},
      {{"10", 1}, {"9", 1}, {"11", 2}, {"100", 1}, {"12", 1}, {"13", 1}, {"14", 1}}, "c");
  ASSERT_TRUE(hierarchy) << hierarchy.error().message();
  EXPECT_THAT(path(*hierarchy, "9"), ElementsAre("9", "9 .. 10", "9 .. 11", "*"));
  EXPECT_THAT(path(*hierarchy, "11"), ElementsAre("11", "11", "9 .. 11", "*"));
  EXPECT_THAT(path(*hierarchy, "100"), ElementsAre("100", "14 .. 100", "12 .. 100", "*"));
}

TEST(HierarchyRule, Mask) {
  const Hierarchy right = built(rule::Mask{}, {"02139", "021", "Zürich"});
  EXPECT_THAT(path(right, "021"), ElementsAre("021", "02*", "0**", "***", "***", "***", "*"));
  EXPECT_THAT(path(right, "Zürich"),
              ElementsAre("Zürich", "Züric*", "Züri**", "Zür***", "Zü****", "Z*****", "*"));
  const Hierarchy left = built(rule::Mask{.from = rule::Mask::From::kLeft, .levels = 2}, {"02139"});
  EXPECT_THAT(path(left, "02139"), ElementsAre("02139", "*2139", "**139", "*"));
  EXPECT_THAT(refusal(rule::Mask{}, {std::string(200, 'x')}), HasSubstr("levels = 4"));
}

TEST(HierarchyRule, Prefix) {
  const Hierarchy codes = built(rule::Prefix{.lengths = {3, 1}}, {"E11.9", "E11", "E"});
  EXPECT_THAT(path(codes, "E11.9"), ElementsAre("E11.9", "E11*", "E*", "*"));
  EXPECT_THAT(path(codes, "E"), ElementsAre("E", "E*", "E*", "*"));
}

TEST(HierarchyRule, DateParts) {
  using Part = rule::DateParts::Part;
  const rule::DateParts rule{.parts = {Part::kDay, Part::kMonth, Part::kQuarter, Part::kYear,
                                       Part::kDecade, Part::kCentury}};
  const Hierarchy dates = built(rule, {"1987-11-30 10:00:00", "1987-02-01"});
  EXPECT_THAT(path(dates, "1987-11-30 10:00:00"),
              ElementsAre("1987-11-30 10:00:00", "1987-11-30", "1987-11", "1987-Q4", "1987",
                          "1980-1989", "1900-1999", "*"));
  EXPECT_THAT(refusal(rule, {"30.11.1987"}), HasSubstr("not a date"));
  EXPECT_EQ(date_part("quarter"), Part::kQuarter);
  EXPECT_EQ(date_part("fortnight"), std::nullopt);
}

TEST(HierarchyRule, Order) {
  const Hierarchy numbers = built(rule::Order{.sizes = {2, 4}}, {"10", "9", "1", "2", "30"});
  EXPECT_THAT(path(numbers, "10"), ElementsAre("10", "9 .. 10", "1 .. 10", "*"));
  EXPECT_THAT(path(numbers, "30"), ElementsAre("30", "30", "30", "*"));
  const rule::Order sizes{.values = {"S", "M", "L"}, .sizes = {2}};
  EXPECT_THAT(path(built(sizes, {"M", "S"}), "M"), ElementsAre("M", "S .. M", "*"));
  EXPECT_THAT(refusal(sizes, {"XL"}), HasSubstr("does not hold 'XL'"));
}

TEST(HierarchyRule, Taxonomy) {
  const Scratch folder;
  const rule::Taxonomy rule{.file = folder / "h.csv"};
  EXPECT_THAT(refusal(rule, {"a"}), HasSubstr("cannot be read"));
  std::ofstream(rule.file) << "a;x;*\r\nb;x;*\r\nc;y;*\r\n";
  EXPECT_THAT(path(built(rule, {"b", ""}), "b"), ElementsAre("b", "x", "*"));
  EXPECT_THAT(path(built(rule, {"b", ""}), ""), ElementsAre("", "", "*"));
  EXPECT_THAT(refusal(rule, {"a", "d", "e"}), HasSubstr("does not hold 'd' and 1 more values"));
  std::ofstream(rule.file) << "a;x;*\na;y;*\n";
  EXPECT_THAT(refusal(rule, {"a"}), HasSubstr("h.csv (c): 'a' stands in it twice"));
  std::ofstream(rule.file) << "a;x;*\nb;x\n";
  EXPECT_THAT(refusal(rule, {"a"}), HasSubstr("line 2 has 2 fields"));
}

}  // namespace
}  // namespace tacit::anonymize
