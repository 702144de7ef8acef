#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tacit/anonymize/hierarchy.h"

namespace tacit::anonymize {

// How often values of a sensitive column stand among some rows; values that do not are left out.
struct Histogram {
  std::span<const std::uint32_t> values;
  std::span<const std::uint64_t> counts;
};

// A histogram for each record, or for each class, one after the other.
struct Histograms {
  std::vector<std::size_t> ends;  // of each one in the two below
  std::vector<std::uint32_t> values;
  std::vector<std::uint64_t> counts;

  [[nodiscard]] Histogram at(std::size_t index) const {
    const std::size_t begin = index == 0 ? 0 : ends[index - 1];
    const std::size_t length = ends[index] - begin;
    return {.values = {values.data() + begin, length}, .counts = {counts.data() + begin, length}};
  }
  // All together: the rows of each value.
  [[nodiscard]] std::vector<std::uint64_t> totals() const;
};

// The code (see Codes) of the missing value for each column and level; none where no row has it, or
// it is one with all others.
using MissingCodes = std::vector<std::vector<std::optional<std::uint32_t>>>;

// The table as a search sees it: each different combination of quasi-identifiers once, as leaves of
// the columns' hierarchies, with the number of its rows.
struct Records {
  std::size_t columns = 0;
  std::vector<std::uint32_t> leaves;  // record by record
  std::vector<std::uint64_t> counts;
  std::uint64_t rows = 0;
  // For each sensitive column how often each of its values, numbered by the caller, stands in each
  // record. Where values have an order, it is that of their numbers.
  std::vector<Histograms> sensitive;
  // For each sensitive column the hierarchy whose leaves are its values, where a criterion measures
  // distances by one; may be empty where none does.
  std::vector<std::shared_ptr<const Hierarchy>> taxonomies;
  // The rows of a population, of which the table is a part, for each record; empty where there is
  // no such table. Combinations that only the population has are records with no rows.
  std::vector<std::uint64_t> population;
  // Where a missing value matches anything; empty where it is a value like others.
  MissingCodes missing;

  [[nodiscard]] std::size_t size() const { return counts.size(); }
  [[nodiscard]] const std::uint32_t* record(std::size_t index) const {
    return leaves.data() + (index * columns);
  }
};

// Makes records from lines in any order, such as an engine's groups of quasi-identifiers and
// sensitive columns.
class RecordsBuilder {
 public:
  RecordsBuilder(std::size_t columns, std::size_t sensitive);

  // Rows with these leaves and a value for each sensitive column.
  void add(std::span<const std::uint32_t> leaves, std::span<const std::uint32_t> values,
           std::uint64_t rows);
  // Rows of the population, those of the table among them.
  void add_population(std::span<const std::uint32_t> leaves, std::uint64_t rows);

  [[nodiscard]] Records build() &&;

 private:
  struct Cell {
    std::uint32_t record;
    std::uint32_t value;
    std::uint64_t rows;
  };

  std::uint32_t find(std::span<const std::uint32_t> leaves);
  void grow();

  Records records_;
  std::vector<std::vector<Cell>> cells_;  // for each sensitive column
  std::vector<std::uint32_t> slots_;      // open addressing, at most half full
};

}  // namespace tacit::anonymize
