#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tacit/anonymize/classes.h"
#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// So many rows of one record; which of them is left open.
struct RecordRows {
  std::uint32_t record = 0;
  std::uint64_t rows = 0;
};

// A table as it is published class by class: which rows are in each class, and what it shows in
// each quasi-identifier. What Mondrian, local recoding and microaggregation come to; a global
// recoding shows the same value wherever the original is the same, and needs less.
struct Partition {
  // Rows of one record that are in one class.
  struct Share {
    std::uint32_t record = 0;
    std::uint32_t in = 0;  // the class
    std::uint64_t rows = 0;
    bool operator==(const Share&) const = default;
  };

  std::vector<Share> shares;  // by record, then class; rows of a record that are in none leave
  std::vector<std::vector<std::string>> labels;  // for each column, all that classes show
  std::vector<std::uint32_t> cells;              // class by class: the place in labels
  std::vector<double> widths;                    // of these cells: the part of the column, 0 to 1
  std::vector<std::uint64_t> rows;               // of each class
  bool shows_values = false;  // of the columns' own types, and no ranges or words for several

  // How many classes there are. No two show the same.
  [[nodiscard]] std::size_t size() const { return rows.size(); }
  [[nodiscard]] std::size_t columns() const { return labels.size(); }
  [[nodiscard]] const std::string& label(std::size_t index, std::size_t column) const {
    return labels[column][cells[(index * columns()) + column]];
  }
  // The mean over the rows that stay of how wide their cells of a column are: the normalized
  // certainty penalty (Xu and others, 2006); and over all columns.
  [[nodiscard]] double penalty(std::size_t column) const;
  [[nodiscard]] double penalty() const;
  // Whether rows of one record are in several classes.
  [[nodiscard]] bool splits_records() const;
  // As criteria see them. Histograms are those of whole records: there are none where a record is
  // split.
  [[nodiscard]] Classes classes(const Records& records) const;
  // The same but for some classes, whose rows leave.
  [[nodiscard]] Partition without(const std::set<std::uint32_t>& leaving) const;
};

// Makes a partition class by class. Classes that show the same are one.
class PartitionBuilder {
 public:
  explicit PartitionBuilder(std::size_t columns) : places_(columns) { out_.labels.resize(columns); }

  // The number of a text that classes show in a column.
  std::uint32_t label(std::size_t column, const std::string& text);
  // A class with these rows. For each column, `cells` has a number of label(), and `widths` how
  // much of the column it is.
  void add(std::span<const RecordRows> rows, const std::vector<std::uint32_t>& cells,
           std::span<const double> widths);

  [[nodiscard]] Partition build() &&;

 private:
  std::vector<std::unordered_map<std::string, std::uint32_t>> places_;  // of labels
  std::map<std::vector<std::uint32_t>, std::uint32_t> classes_;         // by their cells
  Partition out_;
};

}  // namespace tacit::anonymize
