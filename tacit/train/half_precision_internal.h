#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/function.h>

#include <string>

#include "tacit/base/error.h"

namespace tacit::train {

// float16 and bfloat16.
bool is_half(at::ScalarType type);

// The operations of a graph that gave out numbers of half precision.
struct HalfPrecision {
  std::string operation;  // one of them; empty where there is none
  bool narrow = false;    // some are of float16, which has few exponents

  [[nodiscard]] bool is_any() const { return !operation.empty(); }
  void note(torch::autograd::Node& node);
};

// Refuses such a graph, with what allows it.
Result<void> refuse_half(const HalfPrecision& found);

// The gradient of what an operation gave out, which came of losses times `scale`, in the type of
// the parameter where it is of half precision. Exact, but for what underflows.
at::Tensor widened_gradient(const at::Tensor& given, at::ScalarType type, double scale);

// What an operation kept, as numbers of the type in which gradients are summed: exact.
at::Tensor widened(const at::Tensor& kept, const at::Tensor& gradient);

}  // namespace tacit::train
