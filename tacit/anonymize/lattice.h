#pragma once

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

  // Calls visit(index) for each node below, and for the node itself.
  template <class Visit>
  void visit_below(std::size_t index, const Visit& visit, std::size_t column = 0) const {
    if (column == columns()) return visit(index);
    const std::uint8_t most = level(index, column);
    for (std::uint8_t less = 0; less <= most; ++less) {
      visit_below(index - (less * strides_[column]), visit, column + 1);
    }
  }

 private:
  Node sizes_;
  std::vector<std::size_t> strides_;
  std::size_t size_ = 1;
};

}  // namespace tacit::anonymize
