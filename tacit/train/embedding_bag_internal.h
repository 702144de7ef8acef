#pragma once

#include <torch/csrc/autograd/function.h>

#include <memory>

#include "tacit/train/operation_internal.h"

namespace tacit::train {

// Bags of vectors of a table, added up or averaged: nothing for bags that take the largest numbers,
// and where no bag has an index.
std::unique_ptr<Operation> embedding_bag_operation(torch::autograd::Node& node);

}  // namespace tacit::train
