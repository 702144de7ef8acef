#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/anonymize/report/page_parts_internal.h"

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What names and values of a table can do to a page.
constexpr const char* kHostile = "<b>&\"'";
constexpr const char* kHarmless = "&lt;b&gt;&amp;";

TEST(PageParts, NoTextBecomesMarkup) {
  PageTable table({kHostile});
  table.add({std::string(kHostile)});
  table.add({{kHostile, 0.5, true}});
  for (const std::string& part :
       {table.to_string(), paragraph(kHostile), paragraph(kHostile, "lead"), heading(kHostile),
        tile(kHostile, kHostile, kHostile), figure(kHostile, "", ""), key("ring", kHostile)}) {
    EXPECT_THAT(part, HasSubstr(kHarmless));
    EXPECT_THAT(part, Not(HasSubstr("<b>&")));
  }
}

TEST(PageParts, AMeterShowsAPartOfTheWhole) {
  const auto shown = [](double part, bool after) {
    PageTable table({"a"});
    table.add({{"x", part, after}});
    return table.to_string();
  };
  EXPECT_THAT(shown(0.256, false), HasSubstr("<b style=\"width:25.6%\">"));
  EXPECT_THAT(shown(0, false), HasSubstr("width:0.0%"));
  EXPECT_THAT(shown(1.5, true), HasSubstr("<b class=\"after\" style=\"width:100.0%\">"));
  EXPECT_THAT(shown(-1, true), Not(HasSubstr("meter")));
}

TEST(PageParts, ATableHasItsRowsInOrder) {
  PageTable table({"a", "b"});
  table.add({std::string("1"), std::string("2")});
  table.add({std::string("3"), std::string("4")});
  EXPECT_THAT(table.to_string(), HasSubstr("<thead><tr><th>a</th><th>b</th></tr></thead>"));
  EXPECT_THAT(table.to_string(), HasSubstr("<tr><td>1</td><td>2</td></tr>\n<tr><td>3</td>"));
}

TEST(PageParts, StylesAndCaptionsAreThereWhereTheyAreGiven) {
  EXPECT_EQ(paragraph("x"), "<p>x</p>\n");
  EXPECT_EQ(paragraph("x", "lead"), "<p class=\"lead\">x</p>\n");
  // Markup stays what it is: a picture, and a caption with keys in it.
  EXPECT_EQ(figure("x", "<svg/>", "<i>y</i>"),
            "<figure><h3>x</h3>\n<svg/><figcaption><i>y</i></figcaption></figure>\n");
  EXPECT_THAT(figure("x", "<svg/>", ""), Not(HasSubstr("figcaption")));
}

}  // namespace
}  // namespace tacit::anonymize
