#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace tacit::train {

// Which rows of an operation belong to which example: row r is of example (r / stride) % examples.
// A batch in front has a stride of as many rows as an example has; a batch behind the time has 1.
struct ExampleLayout {
  std::int64_t examples = 1;
  std::int64_t rows = 1;
  std::int64_t stride = 1;

  // Rows of one example.
  [[nodiscard]] std::int64_t length() const { return rows / examples; }

  // [rows, ...] as [examples, length, ...], rows of an example in their order; a view where it can
  // be.
  [[nodiscard]] at::Tensor arrange(const at::Tensor& by_row) const;
  // [examples] as [rows].
  [[nodiscard]] at::Tensor spread(const at::Tensor& by_example) const;

  bool operator==(const ExampleLayout&) const = default;
};

// What a backward pass from the loss of one example showed.
struct RowProbe {
  std::int64_t example = 0;
  std::vector<std::int64_t> touched;  // rows whose gradient is not zero
};

// The layout that agrees with all probes, where rows were touched; nothing where a probe touched
// rows that no layout gives to its example.
std::optional<ExampleLayout> fit_layout(std::int64_t examples, std::int64_t rows,
                                        const std::vector<RowProbe>& probes);

}  // namespace tacit::train
