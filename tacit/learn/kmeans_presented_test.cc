#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/learn/presented.h"

namespace tacit::learn {
namespace {

using testing::Contains;
using testing::HasSubstr;

KMeansModel model() {
  KMeansModel out{.features = {{.name = "age", .sql = "age", .lower = 0, .upper = 100}}};
  out.clusters = {{.centre = {30}, .half_widths = {2}, .size = 100.2, .size_half_width = 6},
                  {.centre = {31}, .half_widths = {2}, .size = 3, .size_half_width = 6}};
  out.cells = 8;
  out.unseen = {1};
  out.close = {{0, 1}};
  return out;
}

TEST(KMeansPresented, SaysWhatNumbersDoNotShow) {
  const Presented shown = present(model(), 0.95);
  EXPECT_THAT(shown.remarks, Contains(HasSubstr("cluster 2")));
  EXPECT_THAT(shown.remarks, Contains(HasSubstr("Clusters 1 and 2 are too close")));
  EXPECT_THAT(shown.remarks, Contains(HasSubstr("8 cells")));
}

TEST(KMeansPresented, HasAColumnForEachFeature) {
  const Presented shown = present(model(), 0.95);
  ASSERT_EQ(shown.table.columns.size(), 3U);
  EXPECT_EQ(shown.table.columns[2].field.name, "age");
  EXPECT_EQ(shown.table.columns[2].values[0], Cell(30.0));
  EXPECT_EQ(shown.table.columns[2].half_widths[0], Cell(2.0));
  EXPECT_EQ(shown.table.columns[1].values[0], Cell(int128{100}));
  EXPECT_EQ(shown.json["clusters"][0]["centre"][0], 30);
  EXPECT_EQ(shown.json["kind"], "kmeans");
}

}  // namespace
}  // namespace tacit::learn
