#include <algorithm>
#include <limits>
#include <ranges>

#include "tacit/base/int128.h"
#include "tacit/mechanisms/quantile/quantile_cells_internal.h"
#include "tacit/mechanisms/quantile/radix_sort_internal.h"

namespace tacit {
namespace {

// end - begin, which may pass the range of int64: bounds lie up to 2^63 apart.
std::uint64_t points_between(std::int64_t begin, std::int64_t end) {
  return static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
}

int128 times(std::uint64_t a, std::uint64_t b) {
  return static_cast<int128>(a) * static_cast<int128>(b);
}

std::uint64_t held(int128 distance) {
  constexpr int128 kMost = std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(std::min(distance, kMost));
}

}  // namespace

QuantileCells::QuantileCells(std::vector<std::int64_t> values, std::int64_t lower,
                             std::int64_t upper) {
  radix_sort(values);
  append(lower, 0);
  for (const std::int64_t value : values) append(value, 1);
  append(upper, 0);
}

QuantileCells::QuantileCells(std::vector<GridCount> counts, std::int64_t lower,
                             std::int64_t upper) {
  std::ranges::sort(counts, {}, &GridCount::steps);
  runs_.reserve(counts.size() + 2);
  append(lower, 0);
  for (const auto& [steps, values] : counts) append(steps, values);
  append(upper, 0);
}

void QuantileCells::append(std::int64_t point, std::uint64_t values) {
  if (runs_.empty()) {
    runs_.push_back({point, values});
  } else if (runs_.back().point == point) {
    runs_.back().up_to += values;
  } else {
    runs_.push_back({point, runs_.back().up_to + values});
  }
}

QuantileCell QuantileCells::operator[](std::size_t i) const {
  const Run& run = runs_[i / 2];
  if (i % 2 == 0) {
    return {run.point, 1, i == 0 ? 0 : runs_[i / 2 - 1].up_to, values() - run.up_to};
  }
  return {run.point + 1, points_between(run.point, runs_[i / 2 + 1].point) - 1, run.up_to,
          values() - run.up_to};
}

std::uint64_t QuantileCells::points() const {
  return points_between(runs_.front().point, runs_.back().point) + 1;
}

QuantileLevels::QuantileLevels(const QuantileCells& cells, const QuantileRank& rank)
    : cells_(cells), rank_(rank), reach_{0, 0} {
  // Distances fall as long as there is nothing too much below, and rise from there.
  const auto all = std::views::iota(std::size_t{0}, cells.size());
  const auto middle = std::ranges::partition_point(
      all, [&](std::size_t cell) { return excess_below(cell, cells_[cell]) <= 0; });
  reach_.below = reach_.above = static_cast<std::size_t>(middle - all.begin());
}

int128 QuantileLevels::excess_below(std::size_t index, const QuantileCell& cell) const {
  const std::uint64_t less = cell.less + (index > 0 ? rank_.padding_low : 0);
  return times(rank_.below + rank_.above, less) - times(rank_.below, cells_.values()) -
         times(rank_.below + rank_.above, rank_.padding_high);
}

int128 QuantileLevels::excess_above(std::size_t index, const QuantileCell& cell) const {
  const bool last = index + 1 == cells_.size();
  const std::uint64_t greater = cell.greater + (last ? 0 : rank_.padding_high);
  return times(rank_.below + rank_.above, greater) - times(rank_.above, cells_.values()) -
         times(rank_.below + rank_.above, rank_.padding_low);
}

std::uint64_t QuantileLevels::distance(std::size_t index) const {
  const QuantileCell cell = cells_[index];
  return held(std::max({int128{0}, excess_below(index, cell), excess_above(index, cell)}));
}

template <class Visit>
void QuantileLevels::widen(Reach& reach, std::uint64_t to, Visit&& visit) const {
  while (reach.below > 0 && distance(reach.below - 1) == to) visit(cells_[--reach.below]);
  while (reach.above < cells_.size() && distance(reach.above) == to) visit(cells_[reach.above++]);
}

const ScoreLevel* QuantileLevels::at(std::size_t level) {
  constexpr std::uint64_t kFarthest = std::numeric_limits<std::uint64_t>::max();
  while (levels_.size() <= level) {
    const bool below = reach_.below > 0;
    const bool above = reach_.above < cells_.size();
    if (!below && !above) return nullptr;
    const std::uint64_t nearest = std::min(below ? distance(reach_.below - 1) : kFarthest,
                                           above ? distance(reach_.above) : kFarthest);
    const Reach before = reach_;
    std::uint64_t mass = 0;
    widen(reach_, nearest, [&](const QuantileCell& cell) { mass += cell.mass; });
    if (mass == 0) continue;  // an empty gap between two neighbouring points
    levels_.push_back({nearest, mass});
    before_.push_back(before);
  }
  return &levels_[level];
}

std::int64_t QuantileLevels::point(std::size_t level, std::uint64_t rank) const {
  Reach reach = before_[level];
  std::uint64_t passed = 0;
  std::int64_t found = 0;
  widen(reach, levels_[level].distance, [&](const QuantileCell& cell) {
    // Unsigned, since a cell may be wider than int64 reaches.
    if (rank >= passed && rank - passed < cell.mass) {
      found = static_cast<std::int64_t>(static_cast<std::uint64_t>(cell.begin) + rank - passed);
    }
    passed += cell.mass;
  });
  return found;
}

}  // namespace tacit
