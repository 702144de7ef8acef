#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/methods/microaggregation.h"
#include "tacit/anonymize/methods/partition.h"
#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// Records as points of a space where numbers and texts have a distance: the sum over the columns of
// the squares of what numbers are apart, 1 for texts that differ, 1 for a number where only one is
// missing.
class MixedColumns {
 public:
  // Both must outlive it.
  MixedColumns(const Records& records, std::span<const Hierarchy> hierarchies);

  // A place for each column: a number in standard deviations, or the leaf of a text.
  using Point = std::vector<double>;

  [[nodiscard]] std::span<const double> point(std::uint32_t record) const {
    return std::span(points_).subspan(record * columns_.size(), columns_.size());
  }
  // Whether a column is of numbers, NaN where one is missing; else of texts.
  [[nodiscard]] bool has_numbers(std::size_t column) const { return columns_[column].has_numbers; }
  [[nodiscard]] std::size_t leaves(std::size_t column) const {
    return hierarchies_[column].leaves();
  }

  // What a group shows in a column, and how much of the column it was.
  [[nodiscard]] std::string center(std::span<const RecordRows> rows, std::size_t column,
                                   Center by) const;
  [[nodiscard]] double width(std::span<const RecordRows> rows, std::size_t column) const;

 private:
  struct Column {
    bool has_numbers = true;
    int decimals = 0;             // behind the point
    std::vector<double> numbers;  // of each leaf; NaN where it is missing
    double mean = 0;
    double deviation = 1;
    double range = 0;
    std::size_t values = 0;  // that rows have
  };

  [[nodiscard]] Column column_of(std::size_t column) const;
  void measure(Column& column, std::size_t index) const;
  [[nodiscard]] std::uint32_t leaf(const RecordRows& each, std::size_t column) const {
    return records_.record(each.record)[column];
  }
  [[nodiscard]] std::uint32_t most_frequent(std::span<const RecordRows> rows,
                                            std::size_t column) const;

  const Records& records_;
  std::span<const Hierarchy> hierarchies_;
  std::vector<Column> columns_;
  std::vector<double> points_;  // record by record
};

}  // namespace tacit::anonymize
