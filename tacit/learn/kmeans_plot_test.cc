#include "tacit/learn/kmeans_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::learn {
namespace {

using testing::HasSubstr;
using testing::Not;

KMeansModel model(std::size_t features) {
  KMeansModel out;
  out.features.push_back({.name = "a < b & c", .sql = "x", .lower = 0, .upper = 100});
  out.clusters = {{.centre = {50}, .half_widths = {5}, .size = 100, .size_half_width = 6},
                  {.centre = {0}, .half_widths = {5}, .size = -3, .size_half_width = 6}};
  out.unseen = {1};
  if (features > 1) {
    out.features.push_back({.name = "up", .sql = "y", .lower = -1, .upper = 1});
    for (Cluster& cluster : out.clusters) {
      cluster.centre.push_back(1);
      cluster.half_widths.push_back(0.5);
    }
  }
  return out;
}

TEST(KMeansPlot, PutsCentresWhereTheyAre) {
  const std::string svg = k_means_svg(model(2));
  EXPECT_THAT(svg, HasSubstr("cx=\"300.0\" cy=\"60.0\" r=\"40.0\""));
  EXPECT_THAT(svg, HasSubstr("cx=\"60.0\" cy=\"60.0\" r=\"2.0\"")) << "a size below 0 is a point";
  EXPECT_THAT(svg, HasSubstr("stroke-dasharray"));
  EXPECT_THAT(svg, HasSubstr("cluster 1: 100 ± 6 rows"));
}

TEST(KMeansPlot, EscapesNamesAndDrawsOneFeatureAlongALine) {
  const std::string svg = k_means_svg(model(1));
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; c"));
  EXPECT_THAT(svg, Not(HasSubstr("a < b")));
  EXPECT_THAT(svg, HasSubstr("cx=\"300.0\" cy=\"300.0\""));
}

}  // namespace
}  // namespace tacit::learn
