#include "tacit/train/recurrence_internal.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/generated/Functions.h>

#include <algorithm>
#include <array>
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

// The edges of a fused layer, after that of its input.
constexpr std::size_t kFirstWeight = 1;
constexpr std::size_t kWeights = 4;
constexpr std::size_t kFirstState = 5;
constexpr std::size_t kFirstCell = 6;
// What it gives out, and where gradients of it come in.
constexpr std::size_t kOutput = 0;
constexpr std::size_t kLastState = 1;
constexpr std::size_t kLastCell = 2;

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

// A weight that is itself computed needs a gradient that goes on, which only the fused node has.
bool has_plain_weights(const FusedLayer& fused) {
  for (std::size_t i = kFirstWeight; i < kFirstWeight + kWeights; ++i) {
    const Edge& edge = fused.next_edge(i);
    if (edge.is_valid() && dynamic_cast<AccumulateGrad*>(edge.function.get()) == nullptr) {
      return false;
    }
  }
  return true;
}

// What users hang on a node would be lost with it.
bool has_hooks(FusedLayer& fused) {
  return !fused.pre_hooks().empty() || !fused.tensor_pre_hooks().empty() ||
         !fused.retains_grad_hooks().empty() || !fused.post_hooks().empty();
}

bool is_float(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kDouble;
}

// The states before each step: what was given out, a step later, and the first.
at::Tensor states_before(const at::Tensor& output, const at::Tensor& first, bool reverse) {
  const at::Tensor start = first.unsqueeze(0);
  if (reverse) return at::cat({output.slice(0, 1), start});
  return at::cat({start, output.slice(0, 0, -1)});
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

c10::intrusive_ptr<Node> gates_node(const FusedLayer& fused, const LstmLayer& layer) {
  const auto& edges = fused.next_edges();
  auto node =
      c10::make_intrusive<GatesBackward>(edge_list(edges.begin(), edges.begin() + kFirstState),
                                         layer.input, layer.states, layer.input_weight);
  const std::array<c10::SymInt, 3> shape{layer.steps(), layer.states.size(1),
                                         4 * layer.states.size(2)};
  const at::Tensor& like = layer.states;
  node->add_input_metadata(like.options(), shape, false, false, like.scalar_type());
  return node;
}

// Nothing where the layer is no long short-term memory of plain weights without hooks.
c10::intrusive_ptr<Node> unfused(FusedLayer& fused) {
  constexpr std::int64_t kLstm = 2;  // as at::native numbers the kinds of recurrences
  const auto self = fused.getptr();
  const at::Tensor output = fused.result0_.unpack(self).detach();
  if (fused.mode != kLstm || !fused.batch_sizes.empty()) return {};
  if (!has_plain_weights(fused) || has_hooks(fused) || !is_float(output)) return {};
  LstmLayer layer = layer_of(fused);
  const auto gates = gates_node(fused, layer);
  auto node = c10::make_intrusive<LstmBackward>(
      edge_list{Edge(gates, 0), fused.next_edge(kFirstState), fused.next_edge(kFirstCell)},
      std::move(layer), fused.hx__.unpack().sizes().vec());
  for (const at::Tensor& given :
       {output, fused.result1_.unpack(self), fused.result2_.unpack(self)}) {
    node->add_input_metadata(given.detach());
  }
  return node;
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
        if (auto* fused = dynamic_cast<FusedLayer*>(next.function.get())) turn(next, *fused);
        if (seen.insert(next.function.get()).second) open.push_back(next.function.get());
      }
    }
  }

 private:
  void turn(Edge& edge, FusedLayer& fused) {
    auto [place, is_new] = replaced_.try_emplace(&fused);
    if (is_new) place->second = {edge.function, unfused(fused)};
    if (place->second[1]) edge.function = place->second[1];
  }

  // Each fused layer, held until the walk is over, and what stands for it.
  std::unordered_map<Node*, std::array<c10::intrusive_ptr<Node>, 2>> replaced_;
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

void unfuse_recurrences(const Edge& root) { Unfusing().from(root); }

}  // namespace tacit::train
