#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/base/int128.h"
#include "tacit/mechanisms/quantile/grid_count.h"
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

// The cells of [lower, upper], in order. Each end is a cell of its own. Cells may be empty.
class QuantileCells {
 public:
  // Values lie within the bounds, in any order, and are fewer than 2^63.
  QuantileCells(std::vector<std::int64_t> values, std::int64_t lower, std::int64_t upper);
  QuantileCells(std::vector<GridCount> counts, std::int64_t lower, std::int64_t upper);

  [[nodiscard]] std::size_t size() const { return 2 * runs_.size() - 1; }
  [[nodiscard]] QuantileCell operator[](std::size_t i) const;
  // Of all values; of all grid points.
  [[nodiscard]] std::uint64_t values() const { return runs_.back().up_to; }
  [[nodiscard]] std::uint64_t points() const;

 private:
  // A grid point and the number of values up to it, itself included. Between two runs lies a gap.
  struct Run {
    std::int64_t point;
    std::uint64_t up_to;
  };

  void append(std::int64_t point, std::uint64_t values);

  std::vector<Run> runs_;
};

// The share below / (below + above) of the values, after so many further ones are put on the ends
// of the range; the rank asked for stays that of the share without them (proof.md, "Interval").
struct QuantileRank {
  std::uint64_t below = 1;
  std::uint64_t above = 1;
  std::uint64_t padding_low = 0;
  std::uint64_t padding_high = 0;
};

// The grid points by how far they miss the rank, nearest first: in units of 1 / (below + above) of
// a value, what is too much below a point or too much above it. 0 exactly for the quantiles.
class QuantileLevels final : public ScoreLevels {
 public:
  // `cells` must outlive this.
  QuantileLevels(const QuantileCells& cells, const QuantileRank& rank);

  [[nodiscard]] const ScoreLevel* at(std::size_t level) override;
  [[nodiscard]] std::uint64_t mass() const override { return cells_.points(); }
  // The point at `rank` among those of a level that at() has given.
  [[nodiscard]] std::int64_t point(std::size_t level, std::uint64_t rank) const;
  // Of the cell at this index.
  [[nodiscard]] std::uint64_t distance(std::size_t index) const;

 private:
  // Cells before `below` and from `above` on are farther than what lies between.
  struct Reach {
    std::size_t below;
    std::size_t above;
  };

  // What is too much below, or above, the points of a cell.
  [[nodiscard]] int128 excess_below(std::size_t index, const QuantileCell& cell) const;
  [[nodiscard]] int128 excess_above(std::size_t index, const QuantileCell& cell) const;
  // Calls `visit` with each cell of distance `to` next to the reach, which it widens.
  template <class Visit>
  void widen(Reach& reach, std::uint64_t to, Visit&& visit) const;

  const QuantileCells& cells_;
  QuantileRank rank_;
  Reach reach_;
  std::vector<ScoreLevel> levels_;
  std::vector<Reach> before_;  // the reach before each level
};

}  // namespace tacit
