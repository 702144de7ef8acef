#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/function.h>

#include <memory>
#include <string>

#include "tacit/train/operation_internal.h"

namespace tacit::train {

// The linear maps of a recurrence as a node of the backward graph: gates = input W_ih' + b_ih +
// states W_hh' + b_hh, with the state before each step as it was. Its edges are those of the input,
// the two weights and the two biases, in this order.
class GatesBackward final : public torch::autograd::Node {
 public:
  static constexpr const char* kName = "GatesBackward";
  enum Argument : std::size_t { kInput, kInputWeight, kStateWeight, kInputBias, kStateBias };

  GatesBackward(torch::autograd::edge_list&& edges, at::Tensor input, at::Tensor states,
                at::Tensor input_weight);

  [[nodiscard]] std::string name() const override { return kName; }
  [[nodiscard]] const at::Tensor& input() const { return input_; }
  [[nodiscard]] const at::Tensor& states() const { return states_; }

  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override;

 private:
  at::Tensor input_;   // [steps, sequences, in]
  at::Tensor states_;  // [steps, sequences, hidden]
  at::Tensor input_weight_;
};

// The parameters of that node, with the rows of its input and of its states.
std::unique_ptr<Operation> gates_operation(const GatesBackward& node);

// A fused kernel computes the gradients of its weights itself, and does not show the gradient of
// its gates, of which those of single examples are made. This puts two nodes in the place of each
// fused recurrence behind `root`: one that goes back through time, and GatesBackward. The gradients
// of the graph stay what they were.
void unfuse_recurrences(const torch::autograd::Edge& root);

}  // namespace tacit::train
