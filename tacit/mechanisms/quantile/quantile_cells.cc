#include <algorithm>
#include <iterator>

#include "tacit/base/int128.h"
#include "tacit/mechanisms/quantile/quantile_cells_internal.h"

namespace tacit {
namespace {

// How much `count` values exceed the part share / (share + rest) of all of them.
int128 excess(std::uint64_t count, std::uint64_t share, std::uint64_t rest, std::uint64_t values) {
  return static_cast<int128>(share + rest) * static_cast<int128>(count) -
         static_cast<int128>(share) * static_cast<int128>(values);
}

bool is_above(const QuantileCell& cell, const QuantileRank& rank) {
  return excess(cell.less, rank.below, rank.above, rank.values) > 0;
}

}  // namespace

std::vector<QuantileCell> quantile_cells(std::span<const std::int64_t> sorted, std::int64_t lower,
                                         std::int64_t upper) {
  std::vector<QuantileCell> cells;
  cells.reserve(2 * sorted.size() + 1);
  const std::uint64_t values = sorted.size();
  std::int64_t next = lower;
  std::uint64_t less = 0;
  while (less < values) {
    const std::int64_t value = sorted[less];
    if (next < value) {
      cells.push_back({next, static_cast<std::uint64_t>(value - next), less, values - less});
    }
    std::uint64_t up_to = less;
    while (up_to < values && sorted[up_to] == value) ++up_to;
    cells.push_back({value, 1, less, values - up_to});
    next = value + 1;
    less = up_to;
  }
  if (next <= upper) {
    cells.push_back({next, static_cast<std::uint64_t>(upper - next) + 1, values, 0});
  }
  return cells;
}

std::uint64_t quantile_distance(const QuantileCell& cell, const QuantileRank& rank) {
  const int128 below = excess(cell.less, rank.below, rank.above, rank.values);
  const int128 above = excess(cell.greater, rank.above, rank.below, rank.values);
  return static_cast<std::uint64_t>(std::max({int128{0}, below, above}));
}

std::vector<ScoreLevel> quantile_levels(std::span<const QuantileCell> cells,
                                        const QuantileRank& rank) {
  std::vector<ScoreLevel> levels;
  levels.reserve(cells.size());
  for (const QuantileCell& cell : cells) {
    levels.push_back({quantile_distance(cell, rank), cell.mass});
  }
  // Distances fall up to the quantile and rise from there, so two sorted runs are merged.
  const auto above = std::ranges::partition_point(
      cells, [&](const QuantileCell& cell) { return !is_above(cell, rank); });
  const auto middle = levels.begin() + std::distance(cells.begin(), above);
  std::reverse(levels.begin(), middle);
  std::ranges::inplace_merge(levels, middle, {}, &ScoreLevel::distance);
  std::size_t last = 0;
  for (std::size_t i = 1; i < levels.size(); ++i) {
    if (levels[i].distance == levels[last].distance) {
      levels[last].mass += levels[i].mass;
    } else {
      levels[++last] = levels[i];
    }
  }
  levels.resize(last + 1);
  return levels;
}

}  // namespace tacit
