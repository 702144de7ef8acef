#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "tacit/train/example_layout_internal.h"

namespace tacit::train {
namespace {

bool agrees(const ExampleLayout& layout, const std::vector<std::int64_t>& owners) {
  for (std::size_t row = 0; row < owners.size(); ++row) {
    if (owners[row] == ExampleLayout::kNobody) continue;
    if (owners[row] != layout.owner(static_cast<std::int64_t>(row))) return false;
  }
  return true;
}

at::Tensor places_of(std::int64_t examples, const std::vector<std::int64_t>& owners) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(examples), 0);
  for (const std::int64_t owner : owners) {
    if (owner != ExampleLayout::kNobody) ++counts[static_cast<std::size_t>(owner)];
  }
  const std::int64_t length = std::max<std::int64_t>(1, std::ranges::max(counts));
  at::Tensor places = at::full({examples, length}, -1, at::kLong);
  auto* data = places.mutable_data_ptr<std::int64_t>();
  std::ranges::fill(counts, 0);
  for (std::size_t row = 0; row < owners.size(); ++row) {
    if (owners[row] == ExampleLayout::kNobody) continue;
    std::int64_t& count = counts[static_cast<std::size_t>(owners[row])];
    data[owners[row] * length + count++] = static_cast<std::int64_t>(row);
  }
  return places;
}

}  // namespace

ExampleLayout ExampleLayout::of_owners(std::int64_t examples, std::vector<std::int64_t> owners) {
  const auto rows = static_cast<std::int64_t>(owners.size());
  if (std::ranges::find(owners, kNobody) == owners.end()) {
    if (const auto orders = orders_of(examples, owners); !orders.empty()) return orders.front();
  }
  at::Tensor places = places_of(examples, owners);
  return {.examples = examples,
          .rows = rows,
          .stride = 1,
          .owners = std::move(owners),
          .places = std::move(places)};
}

ExampleLayout ExampleLayout::joined(const std::vector<ExampleLayout>& layouts) {
  const ExampleLayout& first = layouts.front();
  const bool alike = std::ranges::all_of(layouts, [&](const ExampleLayout& layout) {
    return layout.in_order() && layout.stride == first.stride;
  });
  std::int64_t rows = 0;
  for (const ExampleLayout& layout : layouts) rows += layout.rows;
  if (alike) return {.examples = first.examples, .rows = rows, .stride = first.stride};
  std::vector<std::int64_t> owners;
  owners.reserve(static_cast<std::size_t>(rows));
  for (const ExampleLayout& layout : layouts) {
    for (std::int64_t row = 0; row < layout.rows; ++row) owners.push_back(layout.owner(row));
  }
  return of_owners(first.examples, std::move(owners));
}

at::Tensor ExampleLayout::arrange(const at::Tensor& by_row) const {
  const auto sizes = by_row.sizes();
  std::vector<std::int64_t> joined{examples, length()};
  joined.insert(joined.end(), sizes.begin() + 1, sizes.end());
  if (!in_order()) {
    const at::Tensor at = places.flatten().to(by_row.device());
    std::vector<std::int64_t> row_shape(sizes.size(), 1);
    row_shape[0] = -1;
    // Zeros are put in, not multiplied in: rows of nobody may be infinite.
    return by_row.index_select(0, at.clamp_min(0))
        .masked_fill_(at.lt(0).view(row_shape), 0)
        .view(joined);
  }
  const std::int64_t outer = length() / stride;
  std::vector<std::int64_t> split{outer, examples, stride};
  split.insert(split.end(), sizes.begin() + 1, sizes.end());
  return by_row.reshape(split).transpose(0, 1).reshape(joined);
}

at::Tensor ExampleLayout::spread(const at::Tensor& by_example) const {
  if (!in_order()) {
    const at::Tensor owner = at::tensor(owners, at::kLong).to(by_example.device());
    return by_example.index_select(0, owner.clamp_min(0)).masked_fill_(owner.lt(0), 0);
  }
  const std::int64_t outer = length() / stride;
  return by_example.view({1, examples, 1}).expand({outer, examples, stride}).reshape({rows});
}

at::Tensor ExampleLayout::weighed(const at::Tensor& by_row, const at::Tensor& factors) const {
  if (!in_order()) return by_row * spread(factors).unsqueeze(1);
  const at::Tensor split = by_row.reshape({length() / stride, examples, stride, -1});
  return (split * factors.view({1, examples, 1, 1})).view({rows, -1});
}

at::Tensor ExampleLayout::put_in_order(const at::Tensor& by_row) const {
  return in_order() ? by_row : arrange(by_row).flatten(0, 1);
}

ExampleLayout ExampleLayout::example_by_example() const {
  if (in_order()) return *this;
  return {.examples = examples, .rows = examples * length(), .stride = length()};
}

std::vector<ExampleLayout> orders_of(std::int64_t examples,
                                     const std::vector<std::int64_t>& owners) {
  const auto rows = static_cast<std::int64_t>(owners.size());
  std::vector<ExampleLayout> orders;
  if (examples < 1 || rows < examples || rows % examples != 0) return orders;
  const std::int64_t length = rows / examples;
  for (std::int64_t stride = length; stride >= 1; --stride) {
    if (length % stride != 0) continue;
    ExampleLayout layout{.examples = examples, .rows = rows, .stride = stride};
    if (agrees(layout, owners)) orders.push_back(std::move(layout));
  }
  return orders;
}

}  // namespace tacit::train
