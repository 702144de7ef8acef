#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/mechanisms/selection/weighted_choice_internal.h"

namespace tacit {

// Grid points begin, ..., begin + mass - 1, between which no value lies: each has the same number
// of values below it and the same number above it.
struct QuantileCell {
  std::int64_t begin = 0;
  std::uint64_t mass = 0;
  std::uint64_t less = 0;
  std::uint64_t greater = 0;
  bool operator==(const QuantileCell&) const = default;
};

// The cells of [lower, upper], in order. The values are sorted and lie within.
std::vector<QuantileCell> quantile_cells(std::span<const std::int64_t> sorted, std::int64_t lower,
                                         std::int64_t upper);

// The share below / (below + above) of `values` values.
struct QuantileRank {
  std::uint64_t below = 0;
  std::uint64_t above = 0;
  std::uint64_t values = 0;
};

// By how much the points of a cell miss the rank, in units of 1 / (below + above) of a value: what
// is too much below them or too much above them. 0 exactly for the quantiles.
std::uint64_t quantile_distance(const QuantileCell& cell, const QuantileRank& rank);

// The points by their distance, nearest first.
std::vector<ScoreLevel> quantile_levels(std::span<const QuantileCell> cells,
                                        const QuantileRank& rank);

}  // namespace tacit
