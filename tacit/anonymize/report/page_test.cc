#include "tacit/anonymize/report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Names that would break out of a page that trusts them.
constexpr const char* kHostile = "</title><script>alert('x')</script>&\"";

TableReport table_with(std::uint64_t class_size) {
  TableReport out;
  out.sizes.add(class_size, 20);
  out.risk = reidentification_risk(std::vector<std::uint64_t>(20, class_size));
  out.population.push_back(
      {.sampling_fraction = 0.1, .uniques = population_uniques(out.sizes, 0.1)});
  out.special = SampleUniques{.largest = 1,
                              .by_size = {class_size == 1 ? 20U : 0U},
                              .scores = std::vector<double>(20, 1),
                              .contributions = {1}};
  out.disclosures.push_back({.rows = out.risk.rows, .certain = 3, .average = 0.5, .highest = 1});
  return out;
}

Report hostile_report() {
  Report out{.table = table_with(1)};
  out.columns.push_back(
      {.name = kHostile,
       .utility = {.level = 1, .levels = 3, .values_before = 2, .values_after = 1},
       .distribution = {.bars = {{.label = kHostile, .before = 15, .after = 10},
                                 {.label = "", .before = 5, .after = 10}}}});
  out.sensitive.emplace_back(kHostile);
  return out;
}

PageFacts hostile_facts() {
  return {.title = kHostile,
          .lead = kHostile,
          .measure = kHostile,
          .target = kHostile,
          .criteria = {kHostile},
          .guarantee = "This is not differential privacy.",
          .notes = {kHostile}};
}

// The tags that are open at the end, or the first that closes what is not open. Enough for pages
// without comments.
std::string unbalanced(const std::string& page) {
  std::vector<std::string> open;
  for (std::size_t at = page.find('<', page.find("<html")); at != std::string::npos;
       at = page.find('<', at + 1)) {
    const std::size_t end = page.find('>', at);
    const std::string tag = page.substr(at + 1, end - at - 1);
    if (tag.ends_with('/')) continue;
    if (!tag.starts_with('/')) {
      open.push_back(tag.substr(0, tag.find_first_of(" \n")));
      continue;
    }
    if (open.empty() || open.back() != tag.substr(1)) return tag;
    open.pop_back();
  }
  return open.empty() ? "" : open.back();
}

TEST(Page, IsWholeAndAlone) {
  Report report = hostile_report();
  report.published = PublishedReport{
      .table = table_with(5),
      .classification = Classification{.baseline = 0.5, .before = 0.8, .after = 0.7},
      .lattice = {{.node = {1},
                   .fits = true,
                   .score = 0.5,
                   .average_risk = 0.2,
                   .highest_risk = 0.2,
                   .is_chosen = true}}};
  const std::string page = report_page(report, hostile_facts());
  EXPECT_EQ(unbalanced(page), "");
  for (const char* outside : {"http", "//", "src=", "href", "<script", "url(", "@import"}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
  EXPECT_THAT(page, HasSubstr("not differential privacy"));
  EXPECT_THAT(page, HasSubstr("do not publish it"));
  EXPECT_THAT(page, HasSubstr("before: 100.00%"));
  EXPECT_THAT(page, HasSubstr("(missing)"));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
}

TEST(Page, OfATableAsItIsHasNothingPublished) {
  const std::string page = report_page(hostile_report(), {.title = "a.csv", .lead = "As it is."});
  EXPECT_EQ(unbalanced(page), "");
  EXPECT_THAT(page, Not(HasSubstr("What holds")));
  EXPECT_THAT(page, Not(HasSubstr("published</")));
  EXPECT_THAT(page, HasSubstr("as it is"));
}

TEST(Page, OfNothing) { EXPECT_EQ(unbalanced(report_page({}, {})), ""); }

}  // namespace
}  // namespace tacit::anonymize
