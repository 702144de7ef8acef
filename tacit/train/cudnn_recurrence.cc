#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/generated/Functions.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tacit/train/recurrence_internal.h"

namespace tacit::train {
namespace {

using torch::autograd::Edge;
using torch::autograd::edge_list;
using torch::autograd::Node;
using Fused = torch::autograd::generated::CudnnRnnBackward0;

constexpr std::size_t kFirstWeight = 1;

// What a tensor was, as the start or the end of a graph of its own.
at::Tensor with_edge(const at::Tensor& values, const Edge& edge) {
  at::Tensor out = values.detach();
  if (edge.is_valid()) torch::autograd::impl::set_gradient_edge(out, edge);
  return out;
}

Edge edge_of(const at::Tensor& values) {
  return values.requires_grad() ? torch::autograd::impl::gradient_edge(values) : Edge();
}

// All layers and directions of a fused kernel, built up again from plain operations and the nodes
// of single layers.
class Unfolded {
 public:
  explicit Unfolded(Fused& fused)
      : fused_(fused),
        directions_(fused.bidirectional ? 2 : 1),
        stride_(static_cast<std::size_t>(fused.weight_stride0)),
        first_states_(with_edge(fused.hx_.unpack(), fused.next_edge(after_weights()))),
        first_cells_(with_edge(fused.cx_.unpack(), fused.next_edge(after_weights() + 1))) {
    for (const auto& weight : fused.weight_) weights_.push_back(weight.unpack().detach());
  }

  std::vector<Edge> edges() {
    const c10::AutoGradMode with_graph(true);
    at::Tensor input = in_time(with_edge(fused_.input_.unpack(), fused_.next_edge(0)));
    const at::Tensor last = in_time(fused_.result0_.unpack(fused_.getptr()).detach());
    std::vector<at::Tensor> states;
    std::vector<at::Tensor> cells;
    for (std::int64_t layer = 0; layer < fused_.num_layers; ++layer) {
      const bool is_last = layer + 1 == fused_.num_layers;
      const at::Tensor output = is_last ? last : output_of(layer, input.detach());
      const std::vector<at::Tensor> parts = output.chunk(directions_, 2);
      std::vector<at::Tensor> outputs;
      for (std::int64_t direction = 0; direction < directions_; ++direction) {
        const auto place = static_cast<std::size_t>(layer * directions_ + direction);
        outputs.push_back(
            add(place, input, parts[static_cast<std::size_t>(direction)], states, cells));
      }
      input = directions_ == 1 ? outputs.front() : at::cat(outputs, 2);
    }
    return {edge_of(in_time(input)), edge_of(at::stack(states)), edge_of(at::stack(cells))};
  }

 private:
  [[nodiscard]] std::size_t after_weights() const { return kFirstWeight + fused_.weight_size_; }
  // With time in front, and back.
  [[nodiscard]] at::Tensor in_time(const at::Tensor& sequences) const {
    return fused_.batch_first ? sequences.transpose(0, 1) : sequences;
  }

  // What a layer below the last gave out, which the kernel does not keep in a form that is known.
  [[nodiscard]] at::Tensor output_of(std::int64_t layer, const at::Tensor& input) const {
    const c10::NoGradGuard no_grad;
    const auto first = weights_.begin() + layer * directions_ * static_cast<std::int64_t>(stride_);
    const std::vector<at::Tensor> weights(first,
                                          first + directions_ * static_cast<std::int64_t>(stride_));
    const auto of_layer = [&](const at::Tensor& all) {
      return all.detach().narrow(0, layer * directions_, directions_).contiguous();
    };
    return std::get<0>(at::lstm(input.contiguous(),
                                {of_layer(first_states_), of_layer(first_cells_)}, weights,
                                stride_ == 4, 1, 0, false, directions_ == 2, false));
  }

  // One layer in one direction: its output, with the node that goes back through it.
  at::Tensor add(std::size_t place, const at::Tensor& input, const at::Tensor& output,
                 std::vector<at::Tensor>& states, std::vector<at::Tensor>& cells) const {
    const auto at = static_cast<std::int64_t>(place);
    const at::Tensor first_state = first_states_[at];
    const at::Tensor first_cell = first_cells_[at];
    const bool reverse = at % directions_ == 1;
    const std::size_t first = place * stride_;
    const bool has_biases = stride_ == 4;
    edge_list edges{edge_of(input)};
    for (std::size_t i = 0; i < 4; ++i) {
      edges.push_back(i < stride_ ? fused_.next_edge(kFirstWeight + first + i) : Edge());
    }
    const auto node =
        lstm_node({.input = input.detach().contiguous(),
                   .states = states_before(output.detach(), first_state.detach(), reverse),
                   .input_weight = weights_[first],
                   .state_weight = weights_[first + 1],
                   .bias = has_biases ? weights_[first + 2] + weights_[first + 3]
                                      : at::zeros({weights_[first].size(0)}, output.options()),
                   .first_cell = first_cell.detach().contiguous(),
                   .reverse = reverse},
                  {.input_and_weights = std::move(edges),
                   .first_state = edge_of(first_state),
                   .first_cell = edge_of(first_cell)},
                  first_state.sizes().vec());
    // In the order in which the node takes their gradients. Of the last states and cells it is
    // enough to have tensors of their shapes.
    at::Tensor given = output.detach();
    torch::autograd::set_history(given, node);
    for (std::vector<at::Tensor>* const ends : {&states, &cells}) {
      at::Tensor end = first_state.detach();
      torch::autograd::set_history(end, node);
      ends->push_back(end);
    }
    return given;
  }

  Fused& fused_;
  std::int64_t directions_;
  std::size_t stride_;  // tensors of a layer in one direction
  at::Tensor first_states_;
  at::Tensor first_cells_;
  std::vector<at::Tensor> weights_;
};

// Everything else as libtorch unrolls it where cuDNN is not: a step after the other, by plain
// operations on the rows of one step. Sequences that are all as long are packed ones, too.
class Unrolled {
 public:
  explicit Unrolled(Fused& fused)
      : fused_(fused),
        directions_(fused.bidirectional ? 2 : 1),
        stride_(static_cast<std::size_t>(fused.weight_stride0)) {
    for (std::size_t i = 0; i < fused.weight_size_; ++i) {
      weights_.push_back(with_edge(fused.weight_[i].unpack(), fused.next_edge(kFirstWeight + i)));
    }
    const at::Tensor given = with_edge(fused.input_.unpack(), fused.next_edge(0));
    const c10::AutoGradMode with_graph(true);
    input_ = fused.batch_first && !is_packed() ? given.transpose(0, 1) : given;
    if (is_packed()) {
      for (const c10::SymInt& size : fused.batch_sizes) sizes_.push_back(size.expect_int());
    } else {
      sizes_.assign(static_cast<std::size_t>(input_.size(0)), input_.size(1));
    }
  }

  std::vector<Edge> edges() {
    const c10::AutoGradMode with_graph(true);
    const std::size_t after_weights = kFirstWeight + fused_.weight_size_;
    first_states_ = with_edge(fused_.hx_.unpack(), fused_.next_edge(after_weights));
    const at::Tensor cells = fused_.cx_.unpack();
    if (cells.defined()) first_cells_ = with_edge(cells, fused_.next_edge(after_weights + 1));
    at::Tensor rows = is_packed() ? input_ : input_.flatten(0, 1);
    for (std::int64_t layer = 0; layer < fused_.num_layers; ++layer) {
      std::vector<at::Tensor> outputs;
      for (std::int64_t direction = 0; direction < directions_; ++direction) {
        outputs.push_back(run(layer * directions_ + direction, rows, direction == 1));
      }
      rows = directions_ == 1 ? outputs.front() : at::cat(outputs, 1);
    }
    if (!is_packed()) rows = rows.unflatten(0, {input_.size(0), input_.size(1)});
    if (fused_.batch_first && !is_packed()) rows = rows.transpose(0, 1);
    std::vector<Edge> found{edge_of(rows), edge_of(at::stack(last_states_))};
    if (!last_cells_.empty()) found.push_back(edge_of(at::stack(last_cells_)));
    return found;
  }

 private:
  enum Mode : std::int64_t { kRelu, kTanh, kLstm, kGru };  // as cuDNN numbers them

  struct State {
    at::Tensor hidden;
    at::Tensor cell;  // of a long short-term memory alone

    [[nodiscard]] State narrow(std::int64_t from, std::int64_t count) const {
      return {hidden.narrow(0, from, count),
              cell.defined() ? cell.narrow(0, from, count) : at::Tensor()};
    }
    // With other rows behind these.
    [[nodiscard]] State with(const State& more) const {
      return {at::cat({hidden, more.hidden}),
              cell.defined() ? at::cat({cell, more.cell}) : at::Tensor()};
    }
  };

  [[nodiscard]] bool is_packed() const { return !fused_.batch_sizes.empty(); }
  [[nodiscard]] at::Tensor bias(std::size_t first, std::size_t which) const {
    return stride_ == 4 ? weights_[first + which] : at::Tensor();
  }

  [[nodiscard]] State step(const at::Tensor& in, const at::Tensor& back,
                           const State& before) const {
    if (fused_.mode == kGru) {
      const auto x = in.chunk(3, 1);
      const auto h = back.chunk(3, 1);
      const at::Tensor reset = at::sigmoid(x[0] + h[0]);
      const at::Tensor kept = at::sigmoid(x[1] + h[1]);
      const at::Tensor fresh = at::tanh(x[2] + reset * h[2]);
      return {fresh + kept * (before.hidden - fresh), {}};
    }
    if (fused_.mode == kLstm) {
      const auto gates = (in + back).chunk(4, 1);
      const at::Tensor cell =
          at::sigmoid(gates[1]) * before.cell + at::sigmoid(gates[0]) * at::tanh(gates[2]);
      return {at::sigmoid(gates[3]) * at::tanh(cell), cell};
    }
    return {fused_.mode == kTanh ? at::tanh(in + back) : at::relu(in + back), {}};
  }

  // One layer in one direction over all rows, which lie step by step; its output, in their order.
  at::Tensor run(std::int64_t place, const at::Tensor& rows, bool reverse) {
    const std::size_t first = static_cast<std::size_t>(place) * stride_;
    const std::vector<at::Tensor> inputs =
        at::linear(rows, weights_[first], bias(first, 2)).split_with_sizes(sizes_);
    const State start{first_states_[place],
                      first_cells_.defined() ? first_cells_[place] : at::Tensor()};
    std::vector<at::Tensor> outputs(inputs.size());
    State state = start.narrow(0, reverse ? sizes_.back() : sizes_.front());
    State ended;  // of the sequences that are over, the longest first
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::size_t time = reverse ? inputs.size() - 1 - i : i;
      const std::int64_t going = state.hidden.size(0);
      if (sizes_[time] < going) {
        const State over = state.narrow(sizes_[time], going - sizes_[time]);
        ended = ended.hidden.defined() ? over.with(ended) : over;
        state = state.narrow(0, sizes_[time]);
      } else if (sizes_[time] > going) {
        state = state.with(start.narrow(going, sizes_[time] - going));
      }
      const at::Tensor back = at::linear(state.hidden, weights_[first + 1], bias(first, 3));
      state = step(inputs[time], back, state);
      outputs[time] = state.hidden;
    }
    if (ended.hidden.defined()) state = state.with(ended);
    last_states_.push_back(state.hidden);
    if (state.cell.defined()) last_cells_.push_back(state.cell);
    return at::cat(outputs);
  }

  Fused& fused_;
  std::int64_t directions_;
  std::size_t stride_;
  std::vector<at::Tensor> weights_;
  at::Tensor input_;
  std::vector<std::int64_t> sizes_;  // sequences that go on at each step
  at::Tensor first_states_;
  at::Tensor first_cells_;
  std::vector<at::Tensor> last_states_;
  std::vector<at::Tensor> last_cells_;
};

bool is_known(Fused& fused) {
  const bool drops = fused.dropout > 0 && fused.train && fused.num_layers > 1;
  const auto first = fused.next_edges().begin() + kFirstWeight;
  return !drops && fused.proj_size.expect_int() == 0 && !has_hooks(fused) &&
         std::all_of(first, first + static_cast<std::ptrdiff_t>(fused.weight_size_),
                     leads_to_plain_parameter);
}

}  // namespace

std::vector<Edge> unfused_cudnn(Node& node) {
  constexpr std::int64_t kLstm = 2;  // as cuDNN numbers the kinds of recurrences
  auto* fused = dynamic_cast<Fused*>(&node);
  if (fused == nullptr || !is_known(*fused)) return {};
  if (fused->mode == kLstm && fused->batch_sizes.empty()) return Unfolded(*fused).edges();
  return Unrolled(*fused).edges();
}

}  // namespace tacit::train
