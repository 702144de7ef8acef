#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace tacit::train {

// Which rows of an operation belong to which example. Mostly row r is of example
// (r / stride) % examples: a batch in front has a stride of as many rows as an example has; a batch
// behind the time has 1. Where rows lie in no such order, as those of packed sequences, each has
// its owner.
struct ExampleLayout {
  static constexpr std::int64_t kNobody = -1;

  std::int64_t examples = 1;
  std::int64_t rows = 1;
  std::int64_t stride = 1;
  // The example of each row, or nobody; empty where they lie in order.
  std::vector<std::int64_t> owners;
  // The rows of each example, [examples, length], filled up with -1; defined with the owners.
  at::Tensor places;

  // The layout of rows whose owners are known. Rows of nobody stay nobody's.
  static ExampleLayout of_owners(std::int64_t examples, std::vector<std::int64_t> owners);
  // The layout of the rows of all, one after the other.
  static ExampleLayout joined(const std::vector<ExampleLayout>& layouts);

  [[nodiscard]] bool in_order() const { return owners.empty(); }
  // Rows of one example, of the one that has most.
  [[nodiscard]] std::int64_t length() const {
    return in_order() ? rows / examples : places.size(1);
  }
  [[nodiscard]] std::int64_t owner(std::int64_t row) const {
    return in_order() ? (row / stride) % examples : owners[static_cast<std::size_t>(row)];
  }

  // [rows, ...] as [examples, length, ...], rows of an example in their order and zeros where it
  // has fewer; a view where it can be. Rows of nobody are left out.
  [[nodiscard]] at::Tensor arrange(const at::Tensor& by_row) const;
  // [examples] as [rows]; zero for rows of nobody.
  [[nodiscard]] at::Tensor spread(const at::Tensor& by_example) const;
  // [rows, width], each row times the factor of its example.
  [[nodiscard]] at::Tensor weighed(const at::Tensor& by_row, const at::Tensor& factors) const;
  // As arrange, with the examples one after the other in the first dimension, and the layout that
  // rows have then.
  [[nodiscard]] at::Tensor put_in_order(const at::Tensor& by_row) const;
  [[nodiscard]] ExampleLayout example_by_example() const;

  friend bool operator==(const ExampleLayout& one, const ExampleLayout& other) {
    return one.examples == other.examples && one.rows == other.rows && one.stride == other.stride &&
           one.owners == other.owners;
  }
};

// All orders in which each row that has an owner is its owner's.
std::vector<ExampleLayout> orders_of(std::int64_t examples,
                                     const std::vector<std::int64_t>& owners);

}  // namespace tacit::train
