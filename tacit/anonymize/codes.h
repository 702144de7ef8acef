#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/lattice.h"
#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// The values that records have, numbered without gaps in each column and level, so that a class is
// told from others by few bits.
class Codes {
 public:
  Codes(const Records& records, std::span<const Hierarchy> hierarchies);

  [[nodiscard]] std::size_t columns() const { return columns_.size(); }
  // How many different codes there are.
  [[nodiscard]] std::size_t size(std::size_t column, std::size_t level) const {
    return columns_[column].values[level].size();
  }
  // What holds them.
  [[nodiscard]] std::uint32_t bits(std::size_t column, std::size_t level) const;
  // The hierarchy's own number.
  [[nodiscard]] std::uint32_t value(std::size_t column, std::size_t level,
                                    std::uint32_t code) const {
    return columns_[column].values[level][code];
  }
  // The code of a leaf that a record has.
  [[nodiscard]] std::uint32_t of_leaf(std::size_t column, std::uint32_t leaf) const {
    return columns_[column].of_leaf[leaf];
  }
  // What each code of a level becomes at a higher one.
  [[nodiscard]] std::span<const std::uint32_t> up(std::size_t column, std::size_t from,
                                                  std::size_t to) const {
    const Column& all = columns_[column];
    return all.up[(from * all.values.size()) + to];
  }

 private:
  struct Column {
    std::vector<std::uint32_t> of_leaf;
    std::vector<std::vector<std::uint32_t>> values;  // for each level
    std::vector<std::vector<std::uint32_t>> up;      // for each two levels
  };

  static Column numbered(const Records& records, const Hierarchy& hierarchy, std::size_t column);

  std::vector<Column> columns_;
};

// Where the code of a column stands in the words of a key.
struct Field {
  std::uint32_t word = 0;
  std::uint32_t shift = 0;
  std::uint32_t bits = 0;  // none where the column has one value only
};

// How a key is written at a node: a field for each column, none across two words.
struct Layout {
  Layout(const Codes& codes, Node at);

  [[nodiscard]] std::uint32_t code(const std::uint64_t* key, std::size_t column) const {
    const Field& field = fields[column];
    if (field.bits == 0) return 0;
    const std::uint64_t mask = (std::uint64_t{1} << field.bits) - 1;
    return static_cast<std::uint32_t>((key[field.word] >> field.shift) & mask);
  }

  Node node;
  std::vector<Field> fields;
  std::size_t words = 1;
  std::uint32_t bits = 0;  // used of the last word
};

}  // namespace tacit::anonymize
