#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace tacit::train {

// Finds the owner of every row from few backward passes, in each of which the loss of every example
// is weighed by a power of two: the gradient of a row grows by just the weight of its owner, and by
// no power at all where losses of several examples reach it. The weights of the passes are the
// digits of an example's place; the first pass weighs all by 1.
class OwnerSearch {
 public:
  explicit OwnerSearch(std::int64_t examples);

  // What the losses are weighed by, pass by pass: [passes, examples].
  [[nodiscard]] const at::Tensor& weights() const { return weights_; }

  // Four numbers that tell a row of a gradient, which is [rows, ...], from others.
  static at::Tensor marks_of(const at::Tensor& gradient, std::int64_t rows);
  // The marks of rows that no gradient reached.
  static at::Tensor no_marks(std::int64_t rows);
  // The owners of rows whose marks, pass by pass, are these; nothing where one has several. A row
  // whose gradient is nearly zero, huge or not finite in the first pass is nobody's: that depends
  // on its owner alone.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> owners(
      const std::vector<at::Tensor>& marks) const;

 private:
  std::int64_t examples_;
  at::Tensor weights_;
};

}  // namespace tacit::train
