#include <algorithm>
#include <iterator>

#include "tacit/base/int128.h"
#include "tacit/mechanisms/quantile/quantile_cells_internal.h"

namespace tacit {
namespace {

// end - begin, which may pass the range of int64: bounds lie up to 2^63 apart.
std::uint64_t points_between(std::int64_t begin, std::int64_t end) {
  return static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
}

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
      cells.push_back({next, points_between(next, value), less, values - less});
    }
    std::uint64_t up_to = less;
    while (up_to < values && sorted[up_to] == value) ++up_to;
    cells.push_back({value, 1, less, values - up_to});
    next = value + 1;
    less = up_to;
  }
  if (next <= upper) {
    cells.push_back({next, points_between(next, upper) + 1, values, 0});
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
  // Distances fall up to the quantile and rise from there: two sorted runs, read outward from the
  // middle, are merged.
  auto above = std::ranges::partition_point(
      cells, [&](const QuantileCell& cell) { return !is_above(cell, rank); });
  auto below = std::make_reverse_iterator(above);
  const auto below_end = std::make_reverse_iterator(cells.begin());
  std::vector<ScoreLevel> levels;
  const auto append = [&](std::uint64_t distance, std::uint64_t mass) {
    if (levels.empty() || levels.back().distance != distance) levels.push_back({distance, 0});
    levels.back().mass += mass;
  };
  while (below != below_end || above != cells.end()) {
    const bool take_below =
        above == cells.end() ||
        (below != below_end && quantile_distance(*below, rank) <= quantile_distance(*above, rank));
    const QuantileCell& nearest = take_below ? *below++ : *above++;
    append(quantile_distance(nearest, rank), nearest.mass);
  }
  return levels;
}

}  // namespace tacit
