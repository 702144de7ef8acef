#pragma once

#include <cstdint>
#include <span>

#include "tacit/base/error.h"
#include "tacit/privacy/neighbours.h"

namespace tacit {

// What one privacy unit can put into the rows that a statistic sees. Whoever calls a mechanism has
// to make it true (an engine that keeps at most `rows` rows of each unit); proof.md, theorem 1.
struct Contribution {
  Neighbours neighbours = Neighbours::kAddRemove;
  // The most rows of one unit.
  std::uint64_t rows = 1;
  // Every unit has exactly `rows` rows here: nothing filtered them. Under replace neighbours the
  // number of rows is then public. Changes nothing under add/remove.
  bool fixed_rows = false;
  bool operator==(const Contribution&) const = default;
};

// What one privacy unit can put into rows that are divided into groups. Whoever groups must make it
// true.
struct GroupContribution {
  Neighbours neighbours = Neighbours::kAddRemove;
  // The most groups in which one unit has rows, and its most rows in each.
  std::uint64_t groups = 1;
  std::uint64_t rows = 1;
  bool operator==(const GroupContribution&) const = default;
};

// How far the integer vectors of two neighbours can lie apart, in grid steps.
struct Sensitivity {
  std::uint64_t l1 = 1;
  std::uint64_t squared_l2 = 1;
  // How many coordinates the vector has; where it may be of any length, how many of them move.
  std::uint64_t coordinates = 1;
  // At most one coordinate moves, so that a vector costs what one number costs.
  bool one_coordinate = true;
  Neighbours neighbours = Neighbours::kAddRemove;
  bool any_length = false;
  bool operator==(const Sensitivity&) const = default;
};

// The range of one row's value, in grid steps; lower <= upper.
struct StepRange {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
};

// Of a sum of values in the range (theorem 1). A count is the sum over the range [1, 1]. May be 0.
Result<Sensitivity> sum_sensitivity(StepRange range, const Contribution& contribution);
// Of one sum for each range, where each row adds to all of them (theorem 2).
Result<Sensitivity> sums_sensitivity(std::span<const StepRange> ranges,
                                     const Contribution& contribution);
// Of the counts of `bins` bins, where each row adds one to one bin or to none
// (theorem 3).
Result<Sensitivity> histogram_sensitivity(std::uint64_t bins, const Contribution& contribution);
// Of one sum of values in the range for each of any number of groups (theorem 4).
Result<Sensitivity> group_sums_sensitivity(StepRange range, const GroupContribution& contribution);

}  // namespace tacit
