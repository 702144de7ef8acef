#include "tacit/anonymize/policy_rules_internal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::anonymize {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<HierarchyRule> read(const std::string& text) {
  const toml::table root = toml::parse("hierarchy = " + text);
  return read_hierarchy_rule(TomlReader("p.toml"), *root.get("hierarchy"), "folder");
}

template <class Rule>
Rule made(const std::string& text) {
  const auto rule = read(text);
  if (!rule) ADD_FAILURE() << rule.error().message();
  return std::get<Rule>(*rule);
}

TEST(PolicyRules, AreRead) {
  const auto intervals = made<rule::Intervals>("{intervals = [5, 10], from = 0, to = 90}");
  EXPECT_THAT(intervals.widths, ElementsAre(Rational(5), Rational(10)));
  EXPECT_EQ(intervals.from, Rational(0));
  EXPECT_EQ(intervals.to, Rational(90));
  EXPECT_THAT(made<rule::Intervals>("{intervals = 2.5}").widths,
              ElementsAre(*Rational::parse("2.5")));
  EXPECT_THAT(made<rule::Quantiles>("{quantiles = [16, 4]}").groups, ElementsAre(16U, 4U));
  EXPECT_EQ(made<rule::Mask>("{mask = 'left', levels = 3}").levels, 3U);
  EXPECT_EQ(made<rule::Mask>("{mask = 'right'}").from, rule::Mask::From::kRight);
  EXPECT_THAT(made<rule::Prefix>("{prefix = [3, 1]}").lengths, ElementsAre(3U, 1U));
  EXPECT_EQ(made<rule::DateParts>("{date = ['month', 'year']}").parts.size(), 2U);
  EXPECT_THAT(made<rule::Order>("{order = 2, values = ['S', 'M']}").values, ElementsAre("S", "M"));
  const auto file = made<rule::Taxonomy>("{file = 'zip.csv', delimiter = ';'}");
  EXPECT_EQ(file.file, std::filesystem::path("folder") / "zip.csv");
  EXPECT_EQ(file.delimiter, ';');
}

TEST(PolicyRules, RefusesWhatHasNoMeaning) {
  const auto what = [](const std::string& text) {
    const auto rule = read(text);
    return rule ? std::string("accepted") : rule.error().message();
  };
  EXPECT_THAT(what("3"), HasSubstr("p.toml:1: this is not a hierarchy"));
  EXPECT_THAT(what("{}"), HasSubstr("this is not a hierarchy"));
  EXPECT_THAT(what("{intervals = [5, 12]}"), HasSubstr("do not nest"));
  EXPECT_THAT(what("{intervals = [-5]}"), HasSubstr("numbers above 0"));
  EXPECT_THAT(what("{intervals = 5, from = 9, to = 3}"), HasSubstr("above 'from'"));
  EXPECT_THAT(what("{intervals = 5, size = 3}"), HasSubstr("size"));
  EXPECT_THAT(what("{quantiles = [4, 3]}"), HasSubstr("do not nest"));
  EXPECT_THAT(what("{quantiles = 2.5}"), HasSubstr("whole numbers"));
  EXPECT_THAT(what("{mask = 'middle'}"), HasSubstr("\"right\" or \"left\""));
  EXPECT_THAT(what("{prefix = [1, 3]}"), HasSubstr("must fall"));
  EXPECT_THAT(what("{date = ['year', 'month']}"), HasSubstr("ever coarser"));
  EXPECT_THAT(what("{date = []}"), HasSubstr("list of parts"));
  EXPECT_THAT(what("{order = 2, values = []}"), HasSubstr("list of texts"));
  EXPECT_THAT(what("{file = 'zip.csv', delimiter = ';;'}"), HasSubstr("one character"));
}

}  // namespace
}  // namespace tacit::anonymize
