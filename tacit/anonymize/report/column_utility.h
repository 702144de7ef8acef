#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/records.h"
#include "tacit/anonymize/report/published_view.h"

namespace tacit::anonymize {

// The rows of each leaf of a column: all of them, and those that are published.
struct LeafRows {
  std::vector<std::uint64_t> before;
  std::vector<std::uint64_t> kept;
};
// `is_kept`: of each record.
LeafRows leaf_rows(const Records& records, const std::vector<bool>& is_kept, std::size_t column,
                   const Hierarchy& hierarchy);
LeafRows leaf_rows(const Records& records, const PublishedView& view, std::size_t column,
                   const Hierarchy& hierarchy);

// Rows of a leaf that show one value, by its number in a view.
struct ShownRows {
  std::uint32_t leaf = 0;
  std::uint32_t value = 0;
  std::uint64_t rows = 0;
};
// All of a column, by value and leaf.
std::vector<ShownRows> shown_rows(const Records& records, const PublishedView& view,
                                  std::size_t column);

// What a column keeps, from 0 (nothing) to 1 (as it was). A suppressed cell keeps nothing.
struct ColumnUtility {
  std::optional<std::size_t> level;  // where it is the same in all rows
  std::size_t levels = 0;            // of its hierarchy
  std::size_t values_before = 0;
  std::size_t values_after = 0;
  // 1 minus the loss: of the other leaves, the mean part that a cell is still told from. Where
  // there is no level, of the other values that the table has.
  double granularity = 1;
  // 1 minus the mean height of cells in the hierarchy (Sweeney, 2002); nothing without a level.
  std::optional<double> precision;
  // 1 minus the bits that cells lost, by those that they had.
  double entropy = 1;
};
ColumnUtility column_utility(const Hierarchy& hierarchy, std::size_t level, const LeafRows& rows);
// Where classes show what they like. A value stands for those of the rows that show it.
ColumnUtility column_utility(const Hierarchy& hierarchy, const LeafRows& rows,
                             const std::vector<ShownRows>& shown);

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
Distribution distribution(const Hierarchy& hierarchy, const LeafRows& rows,
                          const std::vector<ShownRows>& shown);

}  // namespace tacit::anonymize
