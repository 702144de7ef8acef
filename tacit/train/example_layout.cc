#include <ATen/ATen.h>

#include <algorithm>

#include "tacit/train/example_layout_internal.h"

namespace tacit::train {
namespace {

bool agrees(const ExampleLayout& layout, const RowProbe& probe) {
  return std::ranges::all_of(probe.touched, [&](std::int64_t row) {
    return (row / layout.stride) % layout.examples == probe.example;
  });
}

}  // namespace

at::Tensor ExampleLayout::arrange(const at::Tensor& by_row) const {
  const auto sizes = by_row.sizes();
  const std::int64_t outer = length() / stride;
  std::vector<std::int64_t> split{outer, examples, stride};
  split.insert(split.end(), sizes.begin() + 1, sizes.end());
  std::vector<std::int64_t> joined{examples, length()};
  joined.insert(joined.end(), sizes.begin() + 1, sizes.end());
  return by_row.reshape(split).transpose(0, 1).reshape(joined);
}

at::Tensor ExampleLayout::spread(const at::Tensor& by_example) const {
  const std::int64_t outer = length() / stride;
  return by_example.view({1, examples, 1}).expand({outer, examples, stride}).reshape({rows});
}

std::optional<ExampleLayout> fit_layout(std::int64_t examples, std::int64_t rows,
                                        const std::vector<RowProbe>& probes) {
  if (examples < 1 || rows < examples || rows % examples != 0) return std::nullopt;
  const std::int64_t length = rows / examples;
  // The batch in front is by far the most common, the batch behind the time comes next.
  for (std::int64_t stride = length; stride >= 1; --stride) {
    if (length % stride != 0) continue;
    const ExampleLayout layout{.examples = examples, .rows = rows, .stride = stride};
    if (std::ranges::all_of(probes, [&](const RowProbe& p) { return agrees(layout, p); })) {
      return layout;
    }
  }
  return std::nullopt;
}

}  // namespace tacit::train
