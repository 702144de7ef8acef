#include "tacit/learn/seeding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tacit::learn {
namespace {

TEST(Seeding, PackedCentresAreInTheBoxAndApart) {
  for (const std::size_t dimensions : {1U, 2U, 4U, 20U}) {
    const auto centres = packed_centres(8, dimensions);
    ASSERT_EQ(centres.size(), 8U);
    for (std::size_t a = 0; a < centres.size(); ++a) {
      ASSERT_EQ(centres[a].size(), dimensions);
      for (const double value : centres[a]) EXPECT_LE(std::abs(value), 1);
      for (std::size_t b = 0; b < a; ++b) {
        EXPECT_GT(squared_distance(centres[a], centres[b]), 0.01) << dimensions;
      }
    }
    EXPECT_EQ(centres, packed_centres(8, dimensions)) << "the same for the same arguments";
  }
  EXPECT_EQ(packed_centres(64, 1).size(), 64U);
}

TEST(Seeding, WeightedKMeansFindsTheClusters) {
  std::vector<WeightedPoint> points;
  for (const double centre : {-0.8, 0.0, 0.7}) {
    for (const double offset : {-0.05, 0.0, 0.05}) {
      points.push_back({.at = {centre + offset}, .weight = 10});
    }
  }
  auto centres = weighted_k_means(points, 3, packed_centres(3, 1));
  std::ranges::sort(centres);
  EXPECT_NEAR(centres[0][0], -0.8, 1e-12);
  EXPECT_NEAR(centres[1][0], 0, 1e-12);
  EXPECT_NEAR(centres[2][0], 0.7, 1e-12);
  EXPECT_NEAR(k_means_cost(points, centres), 3 * 2 * 10 * 0.0025, 1e-12);
}

TEST(Seeding, WeightsCount) {
  const std::vector<WeightedPoint> points{{.at = {0}, .weight = 3}, {.at = {1}, .weight = 1}};
  const auto centres = weighted_k_means(points, 1, {{0.0}});
  EXPECT_NEAR(centres[0][0], 0.25, 1e-12);
}

TEST(Seeding, SpareCentresServeWherePointsAreFew) {
  const std::vector<Point> spare{{-1}, {0}, {1}};
  EXPECT_EQ(weighted_k_means({}, 3, spare), spare);
  EXPECT_EQ(weighted_k_means({{.at = {0.5}, .weight = 2}}, 3, spare).size(), 3U);
}

}  // namespace
}  // namespace tacit::learn
