#include "tacit/anonymize/report/charts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t out = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++out;
  return out;
}

TEST(Charts, ShowClassSizes) {
  ClassSizes before;
  before.add(1, 50);
  before.add(4, 5);
  before.add(30);
  ClassSizes after;
  after.add(10, 9);
  const std::string chart = class_size_chart(before, &after);
  EXPECT_THAT(chart, HasSubstr("classes of 1 row: 50.00% of the rows before"));
  EXPECT_THAT(chart, HasSubstr("classes of 3 to 4 rows: 20.00% of the rows before"));
  EXPECT_THAT(chart, HasSubstr("classes of 10 to 19 rows: 100.00% of the rows published"));
  EXPECT_THAT(chart, HasSubstr("classes of 20 rows or more: 30.00% of the rows before"));
  EXPECT_EQ(count(chart, "<rect"), 12U);
  EXPECT_EQ(count(class_size_chart(before, nullptr), "<rect"), 6U);
  EXPECT_THAT(class_size_chart({}, nullptr), HasSubstr("<svg"));
  // The largest sizes there are.
  ClassSizes huge;
  huge.add(UINT64_MAX / 2);
  EXPECT_THAT(class_size_chart(huge, nullptr), HasSubstr("rows or more: 100.00%"));
}

TEST(Charts, ShowTheLattice) {
  const std::vector<LatticePoint> points = {
      {.node = {0, 0}, .score = 0, .average_risk = 0.6, .highest_risk = 1},
      {.node = {1, 0},
       .fits = true,
       .score = 0.3,
       .suppressed = 1200,
       .average_risk = 0.004,
       .highest_risk = 0.2,
       .is_chosen = true},
      {.node = {1, 1}, .fits = true, .score = 0.9, .average_risk = 0.001, .highest_risk = 0.001}};
  const std::string chart = lattice_chart(points, "loss");
  EXPECT_EQ(count(chart, "<circle"), 3U);
  EXPECT_THAT(chart, HasSubstr("levels 1 0: score 0.3, average risk 0.4%, highest 20.00%, 1,200"));
  EXPECT_THAT(chart, HasSubstr("does not satisfy the policy"));
  EXPECT_THAT(chart, HasSubstr("loss, less is better"));
  EXPECT_THAT(chart, HasSubstr(">0.1%<"));
}

TEST(Charts, ShowDistributions) {
  Distribution ages{.is_ordered = true};
  for (int age = 0; age < 300; ++age) {
    ages.bars.push_back({.label = std::to_string(age), .before = 2, .after = 1.5});
  }
  const std::string histogram = distribution_chart(ages, "age", Compared::kYes);
  EXPECT_EQ(count(histogram, "<rect"), 75U);  // four together
  EXPECT_THAT(histogram, HasSubstr("0 .. 3: 8 rows before, 6 published"));
  EXPECT_THAT(histogram, HasSubstr("polyline"));
  Distribution words;
  for (char c = 'a'; c < 'm'; ++c) words.bars.push_back({.label = {c}, .before = 5, .after = 5});
  words.bars[0].label = "<b>";
  const std::string list = distribution_chart(words, "letter", Compared::kNo);
  EXPECT_THAT(list, HasSubstr("5 more: 25 rows"));
  EXPECT_THAT(list, HasSubstr("&lt;b&gt;"));
  EXPECT_THAT(list, Not(HasSubstr("<b>")));
  EXPECT_EQ(distribution_chart({}, "nothing", Compared::kNo), "");
}

}  // namespace
}  // namespace tacit::anonymize
