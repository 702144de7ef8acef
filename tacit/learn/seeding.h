#pragma once

#include <cstddef>
#include <vector>

namespace tacit::learn {

// Where k-means starts. Nothing here sees a row: points are public, or were released.

using Point = std::vector<double>;

struct WeightedPoint {
  Point at;
  double weight = 0;
};

double squared_distance(const Point& a, const Point& b);
// The index of the nearest of `centres`, of which there is at least one.
std::size_t nearest(const Point& point, const std::vector<Point>& centres);

// `count` points of [-1, 1]^dimensions as far from each other and from the faces as random placing
// finds room for (sphere packing; Su, Cao, Li, Bertino, Jin 2016). The same for the same arguments.
std::vector<Point> packed_centres(std::size_t count, std::size_t dimensions);

// k-means of weighted points: the best of several runs of Lloyd from k-means++ seeds (Arthur and
// Vassilvitskii 2007). The same for the same arguments. Where there are fewer points than centres,
// `spare` gives the rest.
std::vector<Point> weighted_k_means(const std::vector<WeightedPoint>& points, std::size_t count,
                                    const std::vector<Point>& spare);

// The weighted sum of squared distances to the nearest centre.
double k_means_cost(const std::vector<WeightedPoint>& points, const std::vector<Point>& centres);

}  // namespace tacit::learn
