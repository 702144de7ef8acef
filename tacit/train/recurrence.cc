#include "tacit/train/recurrence_internal.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/generated/Functions.h>

#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tacit/train/lstm_cell_internal.h"

namespace tacit::train {
namespace {

using torch::autograd::AccumulateGrad;
using torch::autograd::Edge;
using torch::autograd::edge_list;
using torch::autograd::Node;
using torch::autograd::variable_list;
using FusedLayer = torch::autograd::generated::MkldnnRnnLayerBackward0;

template <class Made, class... Arguments>
auto make_node(Arguments&&... arguments) {
  if constexpr (std::is_same_v<NodePointer, std::shared_ptr<Node>>) {
    return std::make_shared<Made>(std::forward<Arguments>(arguments)...);
  } else {
    return c10::make_intrusive<Made>(std::forward<Arguments>(arguments)...);
  }
}

// The edges of a fused layer, after that of its input.
constexpr std::size_t kFirstWeight = 1;
constexpr std::size_t kWeights = 4;
constexpr std::size_t kFirstState = 5;
constexpr std::size_t kFirstCell = 6;
// What it gives out, and where gradients of it come in.
constexpr std::size_t kOutput = 0;
constexpr std::size_t kLastState = 1;
constexpr std::size_t kLastCell = 2;

struct CellGradients {
  at::Tensor gates;        // [steps, sequences, 4 hidden], before their nonlinearities
  at::Tensor first_state;  // [sequences, hidden]
  at::Tensor first_cell;
};

// The gates as they were: [steps, sequences, 4, hidden] of input, forget, cell and output. States
// are known for all steps, so that this is two products and no loop.
at::Tensor gates_of(const LstmLayer& layer) {
  at::Tensor gates = at::addmm(layer.bias, layer.input.flatten(0, 1), layer.input_weight.t());
  gates.addmm_(layer.states.flatten(0, 1), layer.state_weight.t());
  gates = gates.view({layer.steps(), layer.states.size(1), 4, layer.states.size(2)});
  gates.narrow(2, 0, 2).sigmoid_();
  gates.select(2, 2).tanh_();
  gates.select(2, 3).sigmoid_();
  return gates;
}

// Back through time. Gradients that are undefined are zero.
CellGradients back_through_time(const LstmLayer& layer, const at::Tensor& of_output,
                                const at::Tensor& of_last_state, const at::Tensor& of_last_cell) {
  const at::Tensor gates = gates_of(layer);
  const at::Tensor cells = lstm_cells(gates, layer.first_cell, layer.reverse);
  const at::Tensor shown = at::tanh(cells.slice(0, 1));
  const auto given_or_zero = [&](const at::Tensor& given) {
    const at::Tensor copy = at::zeros(layer.first_cell.sizes(), layer.first_cell.options());
    return given.defined() ? copy.copy_(given.view_as(copy)) : copy;
  };
  at::Tensor of_state = given_or_zero(of_last_state);
  const at::Tensor of_cell = given_or_zero(of_last_cell);
  if (lstm_back_on_device(gates, cells, shown, of_output, layer.state_weight, layer.reverse,
                          of_state, of_cell)) {
    return {gates.flatten(2), of_state, of_cell};
  }
  for (std::int64_t step = layer.steps() - 1; step >= 0; --step) {
    const std::int64_t time = layer.time(step);
    if (of_output.defined()) of_state.add_(of_output[time]);
    lstm_step_back(gates[time], cells[step], shown[step], of_state, of_cell);
    of_state = at::mm(gates[time].flatten(1), layer.state_weight);
  }
  return {gates.flatten(2), of_state, of_cell};
}

class LstmBackward final : public Node {
 public:
  LstmBackward(edge_list&& edges, LstmLayer layer, std::vector<std::int64_t> state_shape)
      : Node(std::move(edges)), layer_(std::move(layer)), state_shape_(std::move(state_shape)) {}

  [[nodiscard]] std::string name() const override { return "LstmBackward"; }

  variable_list apply(variable_list&& gradients) override {
    const variable_list given = std::move(gradients);
    if (std::ranges::none_of(given, [](const at::Tensor& g) { return g.defined(); })) {
      return variable_list(num_outputs());
    }
    const CellGradients found =
        back_through_time(layer_, given[kOutput], given[kLastState], given[kLastCell]);
    return {found.gates, found.first_state.view(state_shape_), found.first_cell.view(state_shape_)};
  }

  void release_variables() override { layer_ = {}; }

 private:
  LstmLayer layer_;
  std::vector<std::int64_t> state_shape_;
};

bool has_plain_weights(const FusedLayer& fused) {
  const auto first = fused.next_edges().begin() + kFirstWeight;
  return std::all_of(first, first + kWeights, leads_to_plain_parameter);
}

bool is_float(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kDouble;
}

LstmLayer layer_of(FusedLayer& fused) {
  const at::Tensor output = fused.result0_.unpack(fused.getptr()).detach();
  const std::vector<std::int64_t> state{output.size(1), output.size(2)};
  const at::Tensor first_state = fused.hx__.unpack().detach().view(state);
  return {
      .input = fused.input_.unpack().detach(),
      .states = states_before(output, first_state, fused.reverse),
      .input_weight = fused.weight0_.unpack().detach(),
      .state_weight = fused.weight1_.unpack().detach(),
      .bias = fused.has_biases ? (fused.weight2_.unpack() + fused.weight3_.unpack()).detach()
                               : at::zeros({4 * state[1]}, output.options()),
      .first_cell = fused.cx__.unpack().detach().view(state),
      .reverse = fused.reverse,
  };
}

NodePointer gates_node(edge_list edges, const LstmLayer& layer) {
  auto node =
      make_node<GatesBackward>(std::move(edges), layer.input, layer.states, layer.input_weight);
  const std::array<c10::SymInt, 3> shape{layer.steps(), layer.states.size(1),
                                         4 * layer.states.size(2)};
  const at::Tensor& like = layer.states;
  node->add_input_metadata(like.options(), shape, false, false, like.scalar_type());
  return node;
}

// Nothing where the layer is no long short-term memory of plain weights without hooks.
std::vector<Edge> unfused(FusedLayer& fused) {
  constexpr std::int64_t kLstm = 2;  // as at::native numbers the kinds of recurrences
  const auto self = fused.getptr();
  const at::Tensor output = fused.result0_.unpack(self).detach();
  if (fused.mode != kLstm || !fused.batch_sizes.empty()) return {};
  if (!has_plain_weights(fused) || has_hooks(fused) || !is_float(output)) return {};
  const auto& edges = fused.next_edges();
  const auto node = lstm_node(layer_of(fused),
                              {.input_and_weights = {edges.begin(), edges.begin() + kFirstState},
                               .first_state = edges[kFirstState],
                               .first_cell = edges[kFirstCell]},
                              fused.hx__.unpack().sizes().vec());
  for (const at::Tensor& given :
       {output, fused.result1_.unpack(self), fused.result2_.unpack(self)}) {
    node->add_input_metadata(given.detach());
  }
  return {Edge(node, kOutput), Edge(node, kLastState), Edge(node, kLastCell)};
}

std::vector<Edge> unfused(Node& node) {
  if (auto* fused = dynamic_cast<FusedLayer*>(&node)) return unfused(*fused);
  return unfused_cudnn(node);
}

bool is_fused(const Node& node) {
  return dynamic_cast<const FusedLayer*>(&node) != nullptr ||
         dynamic_cast<const torch::autograd::generated::CudnnRnnBackward0*>(&node) != nullptr;
}

// Walks the graph once and turns the edges that lead to fused layers.
class Unfusing {
 public:
  void from(const Edge& root) {
    std::vector<Node*> open{root.function.get()};
    std::unordered_set<Node*> seen(open.begin(), open.end());
    while (!open.empty()) {
      Node& node = *open.back();
      open.pop_back();
      for (Edge& next : node.next_edges()) {
        if (!next.is_valid()) continue;
        if (is_fused(*next.function)) turn(next);
        if (seen.insert(next.function.get()).second) open.push_back(next.function.get());
      }
    }
  }

 private:
  void turn(Edge& edge) {
    auto [place, is_new] = replaced_.try_emplace(edge.function.get());
    if (is_new) place->second = {edge.function, unfused(*edge.function)};
    const std::vector<Edge>& outputs = place->second.outputs;
    if (edge.input_nr < outputs.size()) edge = outputs[edge.input_nr];
  }

  // Each fused layer, held until the walk is over, and what stands for its outputs.
  struct Replaced {
    NodePointer fused;
    std::vector<Edge> outputs;
  };
  std::unordered_map<Node*, Replaced> replaced_;
};

}  // namespace

GatesBackward::GatesBackward(edge_list&& edges, at::Tensor input, at::Tensor states,
                             at::Tensor input_weight)
    : Node(std::move(edges)),
      input_(std::move(input)),
      states_(std::move(states)),
      input_weight_(std::move(input_weight)) {}

variable_list GatesBackward::apply(variable_list&& gradients) {
  const variable_list given = std::move(gradients);
  variable_list found(num_outputs());
  const at::Tensor& gates = given.front();
  if (!gates.defined()) return found;
  const at::Tensor rows = gates.flatten(0, 1);
  const auto wants = [&](std::size_t i) { return task_should_compute_output(i); };
  if (wants(kInput)) found[kInput] = at::mm(rows, input_weight_).view(input_.sizes());
  if (wants(kInputWeight)) found[kInputWeight] = at::mm(rows.t(), input_.flatten(0, 1));
  if (wants(kStateWeight)) found[kStateWeight] = at::mm(rows.t(), states_.flatten(0, 1));
  if (wants(kInputBias)) found[kInputBias] = rows.sum(0);
  if (wants(kStateBias)) found[kStateBias] = rows.sum(0);
  return found;
}

at::Tensor states_before(const at::Tensor& output, const at::Tensor& first, bool reverse) {
  const at::Tensor start = first.unsqueeze(0);
  if (reverse) return at::cat({output.slice(0, 1), start});
  return at::cat({start, output.slice(0, 0, -1)});
}

NodePointer lstm_node(LstmLayer layer, LstmEdges edges, std::vector<std::int64_t> state_shape) {
  const auto gates = gates_node(std::move(edges.input_and_weights), layer);
  return make_node<LstmBackward>(
      edge_list{Edge(gates, 0), std::move(edges.first_state), std::move(edges.first_cell)},
      std::move(layer), std::move(state_shape));
}

bool leads_to_plain_parameter(const Edge& edge) {
  return !edge.is_valid() || dynamic_cast<AccumulateGrad*>(edge.function.get()) != nullptr;
}

bool has_hooks(Node& node) {
  return !node.pre_hooks().empty() || !node.tensor_pre_hooks().empty() ||
         !node.retains_grad_hooks().empty() || !node.post_hooks().empty();
}

void unfuse_recurrences(const Edge& root) { Unfusing().from(root); }

}  // namespace tacit::train
