#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/lattice.h"
#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// The rows of each leaf of a column: all of them, and those that are published.
struct LeafRows {
  std::vector<std::uint64_t> before;
  std::vector<std::uint64_t> kept;
};
// `is_kept`: of each record.
LeafRows leaf_rows(const Records& records, const std::vector<bool>& is_kept, std::size_t column,
                   const Hierarchy& hierarchy);

// What a column keeps, from 0 (nothing) to 1 (as it was). A suppressed cell keeps nothing.
struct ColumnUtility {
  std::size_t level = 0;
  std::size_t levels = 0;
  std::size_t values_before = 0;
  std::size_t values_after = 0;
  // 1 minus the loss: of the leaves that a cell could be told from, the mean part that it still is.
  double granularity = 1;
  // 1 minus the mean height of cells in the hierarchy (Sweeney, 2002).
  double precision = 1;
  // 1 minus the bits that cells lost, by those that they had.
  double entropy = 1;
};
ColumnUtility column_utility(const Hierarchy& hierarchy, std::size_t level, const LeafRows& rows);

// One value of a column in a picture of before and after.
struct Bar {
  std::string label;
  double before = 0;  // rows
  // Rows that a reader would expect who spreads each published value evenly over the values of the
  // table that it stands for (as Kifer and Gehrke, 2006).
  double after = 0;
};

// How the values of a column are distributed.
struct Distribution {
  bool is_ordered = false;  // numbers or dates, in their order; else the most frequent first
  std::vector<Bar> bars;    // of values that the table has
};
Distribution distribution(const Hierarchy& hierarchy, std::size_t level, const LeafRows& rows);

}  // namespace tacit::anonymize
