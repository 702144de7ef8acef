#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/anonymize/methods/mixed_columns_internal.h"
#include "tacit/anonymize/methods/partition.h"
#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// The records of a table that are in no group yet, column by column, so that the distances of all
// of them from a point are a few instructions each.
class RemainingRecords {
 public:
  // All that the space has; it must outlive this.
  RemainingRecords(const Records& records, const MixedColumns& space);

  [[nodiscard]] std::size_t size() const { return records_.size(); }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::span<const RecordRows> records() const { return records_; }

  // The mean of numbers and the most frequent of texts, over all rows that remain.
  [[nodiscard]] MixedColumns::Point average() const;
  // For each record that remains, in a space that is used again.
  [[nodiscard]] std::span<const double> distances(std::span<const double> from);
  // Takes out the records at these places, which must descend: the last ones move there.
  void remove(std::span<const std::uint32_t> places);

 private:
  // A column that is compared as a code of this width.
  template <class Code>
  struct Texts {
    std::size_t column = 0;
    std::vector<Code> codes;
  };
  struct Numbers {
    std::size_t column = 0;
    std::vector<double> places;
  };

  [[nodiscard]] double average_place(const Numbers& numbers) const;

  const MixedColumns& space_;
  std::vector<RecordRows> records_;
  std::uint64_t rows_ = 0;
  // Of each column as long as the table was at first, filled up to whole blocks; what lies behind
  // the records that remain means nothing.
  std::vector<Texts<std::uint16_t>> texts_;
  std::vector<Texts<std::uint32_t>> many_texts_;
  std::vector<Numbers> numbers_;
  std::vector<std::vector<std::uint64_t>> text_rows_;  // by column and leaf; empty for numbers
  std::vector<double> distances_;
};

}  // namespace tacit::anonymize
