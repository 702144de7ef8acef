#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace tacit::train {

// Gets the gradients of some examples, the next ones in their order: of each parameter a row for
// each example.
using ExampleVisitor = std::function<void(const std::vector<at::Tensor>&)>;

// How many examples are walked from at once: together their gradients take about as much memory as
// the graph itself, or little.
std::int64_t walked_at_once(const at::Tensor& losses, const std::vector<at::Tensor>& parameters);

// Walks backward from each of the losses by itself, several in one batched pass; one after the
// other where an operation cannot be batched. Keeps the graph. Losses are multiplied by `scale`,
// and gradients divided by it.
void walk_examples(const at::Tensor& losses, const std::vector<at::Tensor>& parameters,
                   const ExampleVisitor& visitor, double scale = 1);

}  // namespace tacit::train
