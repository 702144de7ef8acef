#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/function.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/train/parameter_use_internal.h"

namespace tacit::train {

// One argument of an operation that is a parameter, as it is or transposed.
struct ParameterArgument {
  std::size_t position = 0;
  bool transposed = false;
  at::Tensor parameter;
};

// The rows that the gradient of a linear map's weight or bias is made of.
struct LinearTerms {
  at::Tensor input;     // [rows, in], undefined for a bias
  at::Tensor gradient;  // [rows, out]
  bool transposed = false;
};

// An operation of the forward pass, known by its node of the backward graph, of which per-example
// gradients can be had from what it took in and the gradient of what it gave out. Holds what it
// took in; the graph may be freed.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  // Whether it knows the gradient of this argument.
  [[nodiscard]] virtual bool knows(const ParameterArgument& argument) const = 0;
  // How many dimensions of what it gave out are rows, each worked on by itself.
  [[nodiscard]] virtual std::int64_t row_dimensions(std::int64_t dimensions) const = 0;
  // `gradient` is of what it gave out. The argument must be known.
  [[nodiscard]] virtual std::unique_ptr<ParameterUse> use(const ParameterArgument& argument,
                                                          const at::Tensor& gradient,
                                                          const ExampleLayout& layout) const = 0;
  // The same as rows, where the argument is the weight or the bias of a linear map: rows of several
  // operations on one parameter are joined into one use.
  [[nodiscard]] virtual std::optional<LinearTerms> terms(const ParameterArgument& /*argument*/,
                                                         const at::Tensor& /*gradient*/) const {
    return std::nullopt;
  }
};

// The shape of what the operation of a node gave out.
std::vector<std::int64_t> output_shape(torch::autograd::Node& node);

// Nothing where the kind of node is unknown. `parameter` is the first that the operation takes in.
std::unique_ptr<Operation> recognize(torch::autograd::Node& node, const at::Tensor& parameter);

// The looking up of vectors for all examples at once, as positions are, in an embedding whose
// output the node of `broadcast` gives to each of them: known from what that gave out, as if each
// example had looked them up itself. Nothing where the nodes are no such pair.
std::unique_ptr<Operation> shared_lookup(torch::autograd::Node& broadcast,
                                         torch::autograd::Node& embedding);

// Refuses operations through which examples see each other: batch normalization in training mode,
// embeddings scaled by frequency.
Result<void> check_separate(torch::autograd::Node& node);

}  // namespace tacit::train
