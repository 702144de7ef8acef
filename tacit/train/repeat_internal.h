#pragma once

#include <torch/csrc/autograd/function.h>

#include <memory>

#include "tacit/train/operation_internal.h"

namespace tacit::train {

// A parameter laid out many times, one copy behind the other, as an affine instance normalization
// does: nothing where copies lie in another order.
std::unique_ptr<Operation> repeat_operation(torch::autograd::Node& node,
                                            const at::Tensor& parameter);

}  // namespace tacit::train
