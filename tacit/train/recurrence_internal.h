#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/function.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

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

// Counted in the node or beside it, as the version of libtorch has it.
using NodePointer = decltype(std::declval<torch::autograd::Node&>().getptr());

// What a long short-term memory computed, in one layer and one direction. Time runs along the first
// dimension of all tensors but the first state and cell.
struct LstmLayer {
  at::Tensor input;
  at::Tensor states;  // before each step
  at::Tensor input_weight;
  at::Tensor state_weight;
  at::Tensor bias;  // both
  at::Tensor first_cell;
  bool reverse = false;

  [[nodiscard]] std::int64_t steps() const { return input.size(0); }
  // The place in time of a step of the recurrence.
  [[nodiscard]] std::int64_t time(std::int64_t step) const {
    return reverse ? steps() - 1 - step : step;
  }
};

// Where the gradients of such a layer go on to.
struct LstmEdges {
  torch::autograd::edge_list input_and_weights;  // as those of GatesBackward
  torch::autograd::Edge first_state;
  torch::autograd::Edge first_cell;
};

// The states before each step: what was given out, a step later, and the first.
at::Tensor states_before(const at::Tensor& output, const at::Tensor& first, bool reverse);

// The node that goes back through a layer, with GatesBackward behind it. It takes the gradients of
// the output, of the last state and of the last cell, whose metadata are still to be added.
// Gradients of the first state and cell have the given shape.
NodePointer lstm_node(LstmLayer layer, LstmEdges edges, std::vector<std::int64_t> state_shape);

// A weight that is itself computed needs a gradient that goes on, which only a fused node has.
bool leads_to_plain_parameter(const torch::autograd::Edge& edge);
// What users hang on a node would be lost with it.
bool has_hooks(torch::autograd::Node& node);

// What stands for the outputs of a fused kernel of cuDNN: gradients of its output, last states and
// last cells go there. Nothing where it is no long short-term memory of plain weights without
// hooks, or what lies between its layers is not known (packed sequences, dropout).
std::vector<torch::autograd::Edge> unfused_cudnn(torch::autograd::Node& node);

// A fused kernel computes the gradients of its weights itself, and does not show the gradient of
// its gates, of which those of single examples are made. This puts two nodes in the place of each
// fused recurrence behind `root`: one that goes back through time, and GatesBackward. The gradients
// of the graph stay what they were.
void unfuse_recurrences(const torch::autograd::Edge& root);

}  // namespace tacit::train
