#include "tacit/learn/seeding.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <utility>

namespace tacit::learn {
namespace {

constexpr int kPlacements = 100;
constexpr int kBisections = 24;
constexpr std::uint64_t kRestarts = 20;
constexpr int kRounds = 100;

// Which of several public starts is taken tells nothing of rows, so it need not be secret; that the
// same release gives the same model is worth more.
using PublicGenerator = std::mt19937_64;

double uniform(PublicGenerator& generator, double lower, double upper) {
  return lower + (upper - lower) * std::ldexp(static_cast<double>(generator() >> 11U), -53);
}

Point random_point(std::size_t dimensions, double reach, PublicGenerator& generator) {
  Point out(dimensions);
  for (double& value : out) value = uniform(generator, -reach, reach);
  return out;
}

// Balls of that radius inside the box, none of which overlap; nothing where placing gave up.
std::optional<std::vector<Point>> placed(std::size_t count, std::size_t dimensions, double radius,
                                         PublicGenerator& generator) {
  std::vector<Point> out;
  for (int tried = 0; tried < kPlacements && out.size() < count; ++tried) {
    Point next = random_point(dimensions, 1 - radius, generator);
    const bool free = std::ranges::all_of(out, [&](const Point& other) {
      return squared_distance(next, other) >= 4 * radius * radius;
    });
    if (!free) continue;
    out.push_back(std::move(next));
    tried = -1;
  }
  if (out.size() < count) return std::nullopt;
  return out;
}

// An index in proportion to its weight; none where all are 0.
std::optional<std::size_t> drawn(const std::vector<double>& weights, PublicGenerator& generator) {
  double total = 0;
  for (const double weight : weights) total += weight;
  if (!(total > 0)) return std::nullopt;
  double left = uniform(generator, 0, total);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    left -= weights[i];
    if (left < 0) return i;
  }
  return weights.size() - 1;
}

// k-means++: each further seed in proportion to its squared distance from those before it.
std::vector<Point> seeds(const std::vector<WeightedPoint>& points, std::size_t count,
                         const std::vector<Point>& spare, PublicGenerator& generator) {
  std::vector<Point> out;
  std::vector<double> weights;
  for (const WeightedPoint& point : points) weights.push_back(point.weight);
  while (out.size() < count) {
    const auto chosen = drawn(weights, generator);
    if (!chosen) {
      out.push_back(spare[out.size() % spare.size()]);
      continue;
    }
    out.push_back(points[*chosen].at);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double distance = points[i].weight * squared_distance(points[i].at, out.back());
      weights[i] = out.size() == 1 ? distance : std::min(weights[i], distance);
    }
  }
  return out;
}

// One round of Lloyd; false where nothing moved.
bool moved_to_means(const std::vector<WeightedPoint>& points, std::vector<Point>& centres) {
  std::vector<Point> sums(centres.size(), Point(centres.front().size(), 0));
  std::vector<double> weights(centres.size(), 0);
  for (const WeightedPoint& point : points) {
    const std::size_t cluster = nearest(point.at, centres);
    weights[cluster] += point.weight;
    for (std::size_t i = 0; i < point.at.size(); ++i) {
      sums[cluster][i] += point.weight * point.at[i];
    }
  }
  bool moved = false;
  for (std::size_t c = 0; c < centres.size(); ++c) {
    if (!(weights[c] > 0)) continue;
    for (std::size_t i = 0; i < sums[c].size(); ++i) {
      const double mean = sums[c][i] / weights[c];
      moved = moved || mean != centres[c][i];
      centres[c][i] = mean;
    }
  }
  return moved;
}

}  // namespace

double squared_distance(const Point& a, const Point& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

std::size_t nearest(const Point& point, const std::vector<Point>& centres) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < centres.size(); ++c) {
    const double distance = squared_distance(point, centres[c]);
    if (distance < least) {
      least = distance;
      best = c;
    }
  }
  return best;
}

std::vector<Point> packed_centres(std::size_t count, std::size_t dimensions) {
  std::uint64_t seed = 0;
  double low = 0;
  double high = 1;
  PublicGenerator first(seed);
  std::vector<Point> best = placed(count, dimensions, 0, first).value_or(std::vector<Point>());
  for (int i = 0; i < kBisections; ++i) {
    const double radius = (low + high) / 2;
    PublicGenerator generator(++seed);
    if (auto found = placed(count, dimensions, radius, generator)) {
      best = *std::move(found);
      low = radius;
    } else {
      high = radius;
    }
  }
  return best;
}

std::vector<Point> weighted_k_means(const std::vector<WeightedPoint>& points, std::size_t count,
                                    const std::vector<Point>& spare) {
  std::vector<Point> best;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint64_t restart = 0; restart < kRestarts; ++restart) {
    PublicGenerator generator(restart);
    std::vector<Point> centres = seeds(points, count, spare, generator);
    for (int round = 0; round < kRounds && moved_to_means(points, centres); ++round) {
    }
    const double cost = k_means_cost(points, centres);
    if (best.empty() || cost < least) {
      least = cost;
      best = std::move(centres);
    }
  }
  return best;
}

double k_means_cost(const std::vector<WeightedPoint>& points, const std::vector<Point>& centres) {
  double cost = 0;
  for (const WeightedPoint& point : points) {
    cost += point.weight * squared_distance(point.at, centres[nearest(point.at, centres)]);
  }
  return cost;
}

}  // namespace tacit::learn
