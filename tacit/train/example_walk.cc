#include "tacit/train/example_walk_internal.h"

#include <ATen/ATen.h>
#include <ATen/LegacyVmapMode.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <unordered_set>

namespace tacit::train {
namespace {

using torch::autograd::Edge;
using torch::autograd::Node;

// While it lives, tensors with a batch of this level are worked on as if they had none.
class BatchLevel {
 public:
  BatchLevel() : level_(at::impl::VmapMode::increment_nesting()) {}
  BatchLevel(const BatchLevel&) = delete;
  BatchLevel& operator=(const BatchLevel&) = delete;
  ~BatchLevel() { at::impl::VmapMode::decrement_nesting(); }

  [[nodiscard]] std::int64_t level() const { return level_; }

 private:
  std::int64_t level_;
};

// libtorch says of each operation without a rule for batches that it is slow; users are told once,
// of the parameter.
class Silence final : public c10::WarningHandler {
 public:
  Silence() : guard_(this) {}
  void process(const c10::Warning& /*warning*/) override {}

 private:
  c10::WarningUtils::WarningHandlerGuard guard_;
};

struct GraphSize {
  std::int64_t numbers = 0;  // that all nodes gave out
  std::int64_t largest = 0;  // that one gave out
};

GraphSize size_behind(const Edge& root) {
  GraphSize size;
  std::vector<Node*> open{root.function.get()};
  std::unordered_set<const Node*> seen{root.function.get()};
  while (!open.empty()) {
    Node& node = *open.back();
    open.pop_back();
    for (std::uint32_t i = 0; i < node.num_inputs(); ++i) {
      std::int64_t numbers = 1;
      for (const c10::SymInt& side : node.input_metadata(i).shape_as_dim_vector()) {
        numbers *= side.expect_int();
      }
      size.numbers += numbers;
      size.largest = std::max(size.largest, numbers);
    }
    for (const Edge& next : node.next_edges()) {
      if (next.is_valid() && seen.insert(next.function.get()).second) {
        open.push_back(next.function.get());
      }
    }
  }
  return size;
}

// The gradients of the losses weighed by each row of `weights`. As torch.autograd.grad with
// is_grads_batched has them.
std::vector<at::Tensor> batched(const at::Tensor& losses, const std::vector<at::Tensor>& parameters,
                                const at::Tensor& weights) {
  const Silence silence;
  const BatchLevel batch;
  const at::Tensor lanes = at::_add_batch_dim(weights, 0, batch.level());
  auto gradients = torch::autograd::grad({losses}, parameters, {lanes}, true, false, true);
  for (at::Tensor& gradient : gradients) {
    if (!gradient.defined()) continue;
    gradient = at::_remove_batch_dim(gradient, batch.level(), weights.size(0), 0);
  }
  return gradients;
}

std::vector<at::Tensor> one_by_one(const at::Tensor& losses,
                                   const std::vector<at::Tensor>& parameters,
                                   const at::Tensor& weights) {
  std::vector<std::vector<at::Tensor>> rows(parameters.size());
  for (const at::Tensor& weight : weights.unbind()) {
    const auto gradients = torch::autograd::grad({losses}, parameters, {weight}, true, false, true);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].push_back(gradients[i].defined() ? gradients[i] : at::zeros_like(parameters[i]));
    }
  }
  std::vector<at::Tensor> stacked;
  for (const auto& of_parameter : rows) stacked.push_back(at::stack(of_parameter));
  return stacked;
}

// Nothing where some operation cannot be batched.
std::optional<std::vector<at::Tensor>> try_batched(const at::Tensor& losses,
                                                   const std::vector<at::Tensor>& parameters,
                                                   const at::Tensor& weights) {
  try {
    return batched(losses, parameters, weights);
  } catch (const std::exception&) {  // what else is wrong shows again, one by one
    return std::nullopt;
  }
}

}  // namespace

std::int64_t walked_at_once(const at::Tensor& losses, const std::vector<at::Tensor>& parameters) {
  constexpr std::int64_t kLittle = 1 << 22;
  constexpr std::int64_t kAlive = 4;  // tensors of the largest size that a pass holds at a time
  const GraphSize graph = size_behind(torch::autograd::impl::gradient_edge(losses));
  std::int64_t largest = std::max<std::int64_t>(1, graph.largest);
  for (const at::Tensor& parameter : parameters) largest = std::max(largest, parameter.numel());
  const std::int64_t allowed = std::max(graph.numbers, kLittle);
  return std::clamp<std::int64_t>(allowed / (kAlive * largest), 1, losses.size(0));
}

void walk_examples(const at::Tensor& losses, const std::vector<at::Tensor>& parameters,
                   const ExampleVisitor& visitor, double scale) {
  const std::int64_t at_once = walked_at_once(losses, parameters);
  const at::Tensor chosen = at::eye(losses.size(0), losses.options().requires_grad(false)) * scale;
  bool batches = at_once > 1;
  for (const at::Tensor& weights : chosen.split(at_once)) {
    std::optional<std::vector<at::Tensor>> gradients;
    if (batches) gradients = try_batched(losses, parameters, weights);
    batches = gradients.has_value();
    if (!gradients) gradients = one_by_one(losses, parameters, weights);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      at::Tensor& gradient = (*gradients)[i];
      gradient = gradient.defined() ? gradient.reshape({weights.size(0), -1})
                                    : parameters[i].new_zeros({weights.size(0), 1});
      if (scale != 1) gradient = gradient / scale;
    }
    visitor(*gradients);
  }
}

}  // namespace tacit::train
