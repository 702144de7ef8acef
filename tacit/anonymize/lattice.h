#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tacit::anonymize {

// A level for each quasi-identifier: one global recoding.
using Node = std::vector<std::uint8_t>;

// All nodes, numbered: the last column's level changes fastest. A node is below another where none
// of its levels is higher; there every class of the other is a union of its classes.
class Lattice {
 public:
  explicit Lattice(Node sizes) : sizes_(std::move(sizes)) {
    strides_.resize(sizes_.size());
    for (std::size_t i = sizes_.size(); i-- > 0;) {
      strides_[i] = size_;
      size_ *= sizes_[i];
    }
    unsigned shift = 0;
    for (const std::uint8_t size : sizes_) {
      shifts_.push_back(shift);
      if (size < 2) continue;
      shift += static_cast<unsigned>(std::bit_width(size - 1U)) + 1;
      guards_ |= std::uint64_t{1} << (shift - 1);
    }
  }

  [[nodiscard]] std::size_t columns() const { return sizes_.size(); }
  // How many nodes there are.
  [[nodiscard]] std::size_t size() const { return size_; }
  // How many levels a column has.
  [[nodiscard]] std::uint8_t levels(std::size_t column) const { return sizes_[column]; }
  // The number of a node minus that of its neighbour one level lower in a column.
  [[nodiscard]] std::size_t stride(std::size_t column) const { return strides_[column]; }
  [[nodiscard]] std::uint8_t level(std::size_t index, std::size_t column) const {
    return static_cast<std::uint8_t>(index / strides_[column] % sizes_[column]);
  }
  [[nodiscard]] Node at(std::size_t index) const {
    Node node(columns());
    for (std::size_t i = 0; i < columns(); ++i) node[i] = level(index, i);
    return node;
  }
  [[nodiscard]] std::size_t index(const Node& node) const {
    std::size_t out = 0;
    for (std::size_t i = 0; i < columns(); ++i) out += node[i] * strides_[i];
    return out;
  }
  // Steps to the next node, in the order of the numbers.
  void advance(Node& node) const {
    for (std::size_t i = columns(); i-- > 0;) {
      if (++node[i] < sizes_[i]) return;
      node[i] = 0;
    }
  }

  // The levels of a node in one word, to compare nodes by: a field for each column, with a bit to
  // spare. It suffices for 2^31 nodes, as a column of n levels takes at most 2 log2(n) bits.
  [[nodiscard]] std::uint64_t packed(const Node& node) const {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < columns(); ++i) out |= std::uint64_t{node[i]} << shifts_[i];
    return out;
  }
  // Whether one packed node is below another, or the same: no field borrows from its spare bit.
  [[nodiscard]] bool is_below(std::uint64_t low, std::uint64_t high) const {
    return (((high | guards_) - low) & guards_) == guards_;
  }

  // Calls visit(index) for each node below, and for the node itself.
  template <class Visit>
  void visit_below(std::size_t index, const Visit& visit, std::size_t column = 0) const {
    if (column == columns()) return visit(index);
    const std::uint8_t most = level(index, column);
    for (std::uint8_t less = 0; less <= most; ++less) {
      visit_below(index - (less * strides_[column]), visit, column + 1);
    }
  }
  // The same for each node above.
  template <class Visit>
  void visit_above(std::size_t index, const Visit& visit, std::size_t column = 0) const {
    if (column == columns()) return visit(index);
    const std::size_t most = sizes_[column] - std::size_t{1} - level(index, column);
    for (std::size_t more = 0; more <= most; ++more) {
      visit_above(index + (more * strides_[column]), visit, column + 1);
    }
  }

 private:
  Node sizes_;
  std::vector<std::size_t> strides_;
  std::size_t size_ = 1;
  std::vector<unsigned> shifts_;  // of packed levels
  std::uint64_t guards_ = 0;
};

}  // namespace tacit::anonymize
