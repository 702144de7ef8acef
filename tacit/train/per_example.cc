#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "tacit/train/example_walk_internal.h"
#include "tacit/train/per_example_internal.h"

namespace tacit::train {
namespace {

// Factors in the type that they are used in, made once where all parameters share them.
class FactorsByType {
 public:
  const at::Tensor& of(const at::Tensor& factors, at::ScalarType type) {
    if (!factors_.is_same(factors) || converted_.scalar_type() != type) {
      factors_ = factors;
      converted_ = factors.to(type);
    }
    return converted_;
  }

 private:
  at::Tensor factors_;
  at::Tensor converted_;
};

std::vector<ExampleLayout> with_strides(std::int64_t examples, const BackwardGraph& graph,
                                        const std::vector<std::int64_t>& strides) {
  std::vector<ExampleLayout> layouts;
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    layouts.push_back({examples, graph.operations[i].rows(), strides[i]});
  }
  return layouts;
}

// What layouts are known by: the graph, and how many rows an example has in each operation.
std::string key_of(const BackwardGraph& graph, std::int64_t examples) {
  std::string key = graph.signature.text;
  for (const KnownOperation& operation : graph.operations) {
    key += '#' + std::to_string(operation.rows() / examples);
    if (operation.rows() % examples != 0) key += '+';
  }
  return key;
}

Result<std::vector<ExampleLayout>> layouts_of(const at::Tensor& losses, BackwardGraph& graph,
                                              KnownLayouts& known) {
  const std::int64_t examples = losses.size(0);
  // All rows are of the only example, which tells nothing of larger batches. Where data chooses
  // them, some may be left out, as they would be beside others.
  if (examples == 1 && !graph.signature.data_chooses) {
    return with_strides(1, graph, std::vector<std::int64_t>(graph.operations.size(), 1));
  }
  const std::string key = key_of(graph, examples);
  if (!graph.signature.data_chooses) {
    const auto found = known.find(key);
    if (found != known.end()) return with_strides(examples, graph, found->second);
  }
  bool certain = false;
  TACIT_ASSIGN_OR_RETURN(std::vector<ExampleLayout> layouts, find_layouts(losses, graph, certain));
  if (certain) {
    std::vector<std::int64_t>& strides = known[key];
    for (const ExampleLayout& layout : layouts) strides.push_back(layout.stride);
  }
  return layouts;
}

}  // namespace

PerExampleGradients::PerExampleGradients(at::Tensor losses, std::vector<at::Tensor> parameters)
    : losses_(std::move(losses)),
      parameters_(std::move(parameters)),
      uses_(parameters_.size()),
      repeated_(parameters_.size()),
      expected_uses_(parameters_.size()),
      norms_(parameters_.size()) {}

Result<PerExampleGradients> PerExampleGradients::of(const at::Tensor& losses,
                                                    const std::vector<at::Tensor>& parameters,
                                                    KnownLayouts& layouts,
                                                    const std::optional<MixedPrecision>& allowed) {
  PerExampleGradients result(losses, parameters);
  TACIT_ASSIGN_OR_RETURN(BackwardGraph graph, find_uses(losses, parameters));
  if (!allowed) TACIT_RETURN_IF_ERROR(refuse_half(graph.half_precision));
  result.half_precision_ = graph.half_precision.is_any();
  if (allowed) result.loss_scale_ = allowed->loss_scale;
  TACIT_ASSIGN_OR_RETURN(const auto found, layouts_of(losses, graph, layouts));
  result.named_ = graph.unknown;
  result.unknown_ = graph.unknown;
  result.unknown_.merge(graph.unclear);
  for (const KnownOperation& known : graph.operations) {
    for (const KnownArgument& a : known.arguments) ++result.expected_uses_[a.parameter];
  }
  const at::Tensor weights = at::full_like(losses, result.loss_scale_);
  visit_output_gradients(losses, weights, graph, result.walks_examples(),
                         [&](std::size_t i, const at::Tensor& gradient) {
                           result.add_uses(graph.operations[i], gradient, found[i]);
                           graph.operations[i].operation.reset();
                         });
  result.join_repeated();
  return result;
}

// Norms are taken as soon as they can be: what they need is still in the cache, and much of it need
// not be held any longer.
void PerExampleGradients::add_uses(const KnownOperation& known, const at::Tensor& given,
                                   const ExampleLayout& layout) {
  const at::ScalarType type = parameters_[known.arguments.front().parameter].scalar_type();
  const at::Tensor gradient = widened_gradient(given, type, loss_scale_);
  for (const KnownArgument& a : known.arguments) {
    if (unknown_.contains(a.parameter)) continue;
    if (expected_uses_[a.parameter] > 1) {
      if (auto terms = known.operation->terms(a.argument, gradient)) {
        repeated_[a.parameter].push_back({*std::move(terms), layout});
        continue;
      }
    }
    auto use = known.operation->use(a.argument, gradient, layout);
    if (expected_uses_[a.parameter] == 1) norms_[a.parameter] = use->squared_norms();
    uses_[a.parameter].push_back(std::move(use));
  }
}

std::unique_ptr<ParameterUse> PerExampleGradients::joined(const std::vector<OwnedTerms>& repeated) {
  std::vector<at::Tensor> inputs;
  std::vector<at::Tensor> gradients;
  std::vector<ExampleLayout> layouts;
  for (const OwnedTerms& each : repeated) {
    if (each.terms.input.defined()) inputs.push_back(each.terms.input);
    gradients.push_back(each.terms.gradient);
    layouts.push_back(each.layout);
  }
  const bool alone = repeated.size() == 1;
  const at::Tensor gradient = alone ? gradients.front() : at::cat(gradients);
  const ExampleLayout layout = ExampleLayout::joined(layouts);
  if (inputs.empty()) return row_sum_use(gradient, layout);
  const at::Tensor input = alone ? inputs.front() : at::cat(inputs);
  return linear_use(layout.put_in_order(input), layout.put_in_order(gradient),
                    squares_by_example(layout.arrange(gradient)), layout.example_by_example(),
                    repeated.front().terms.transposed);
}

// A linear map that is used again and again, as a recurrence uses it at every step, is one map of
// all the rows together.
void PerExampleGradients::join_repeated() {
  const c10::NoGradGuard no_grad;
  for (std::size_t i = 0; i < repeated_.size(); ++i) {
    std::vector<OwnedTerms> left = std::move(repeated_[i]);
    while (!left.empty()) {
      const auto unlike = [first = left.front().terms](const OwnedTerms& other) {
        return other.terms.transposed != first.transposed ||
               other.terms.input.defined() != first.input.defined();
      };
      const auto end = std::ranges::partition(left, unlike).begin();
      uses_[i].push_back(joined({end, left.end()}));
      left.erase(end, left.end());
    }
  }
}

std::vector<SquaredNorms> PerExampleGradients::squared_norms() {
  const c10::NoGradGuard no_grad;
  at::Tensor zeros;
  std::vector<SquaredNorms> norms;
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    if (const auto& known = norms_[i]; known) {
      norms.push_back(*known);
    } else if (uses_[i].empty()) {
      if (!zeros.defined())
        zeros = at::zeros(losses_.sizes(), losses_.options().dtype(at::kDouble));
      norms.push_back({.computed = {}, .left = zeros, .right = {}});
    } else if (uses_[i].size() == 1) {
      norms.push_back(uses_[i].front()->squared_norms());
    } else {
      norms.push_back(joint_norms(i));
    }
  }
  if (!unknown_.empty()) add_unknown_norms(norms);
  return norms;
}

// Gradients of several uses of one parameter add up before a norm is taken.
SquaredNorms PerExampleGradients::joint_norms(std::size_t parameter) const {
  const auto& uses = uses_[parameter];
  const std::int64_t examples = losses_.size(0);
  const std::int64_t numbers = parameters_[parameter].numel();
  const std::int64_t chunk = examples_at_once(numbers, examples * numbers, losses_.device());
  std::vector<at::Tensor> squares;
  for (std::int64_t from = 0; from < examples; from += chunk) {
    const std::int64_t to = std::min(examples, from + chunk);
    at::Tensor gradients = uses.front()->per_example(from, to);
    for (std::size_t i = 1; i < uses.size(); ++i) {
      gradients = gradients + uses[i]->per_example(from, to);
    }
    squares.push_back(squares_by_example(gradients));
  }
  at::Tensor error = uses.front()->error();
  for (std::size_t i = 1; i < uses.size(); ++i) error = error + uses[i]->error();
  return SquaredNorms::of_gradients(at::cat(squares), error * 2);
}

void PerExampleGradients::walk_unknown(
    const std::function<void(const std::vector<at::Tensor>&)>& visitor) const {
  std::vector<at::Tensor> wanted;
  for (const auto& [parameter, operation] : unknown_) wanted.push_back(parameters_[parameter]);
  walk_examples(losses_, wanted, visitor, loss_scale_);
}

void PerExampleGradients::add_unknown_norms(std::vector<SquaredNorms>& norms) const {
  std::vector<std::vector<at::Tensor>> squares(unknown_.size());
  walk_unknown([&](const std::vector<at::Tensor>& gradients) {
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      squares[i].push_back(squares_by_example(gradients[i]));
    }
  });
  std::size_t i = 0;
  for (const auto& [parameter, operation] : unknown_) {
    const at::Tensor computed = at::cat(squares[i++]);
    norms[parameter] = {.computed = {},
                        .left = computed,
                        .right = {},
                        .rounding = rounding_bound(1 << 10, losses_.scalar_type())};
  }
}

void PerExampleGradients::drop(const at::Tensor& marked) {
  for (auto& uses : uses_) {
    for (auto& use : uses) use->drop(marked);
  }
}

// In half precision a pass from losses times their factors would round other numbers than those of
// which norms were taken: the same walk is done again.
void PerExampleGradients::add_walked_sums(const std::vector<at::Tensor>& factors,
                                          std::vector<at::Tensor>& sums) const {
  std::int64_t from = 0;
  walk_unknown([&](const std::vector<at::Tensor>& gradients) {
    const std::int64_t to = from + gradients.front().size(0);
    std::size_t i = 0;
    for (const auto& [parameter, operation] : unknown_) {
      const at::Tensor& each = gradients[i++];
      if (each.size(1) != sums[parameter].numel()) continue;  // the losses do not depend on it
      const at::Tensor factor = factors[parameter].slice(0, from, to).to(each.scalar_type());
      const at::Tensor kept = without(each, factor.eq(0));
      sums[parameter] += at::mv(kept.t(), factor).view(sums[parameter].sizes());
    }
    from = to;
  });
}

// One more backward pass gives the sums. Where all that is weighed is nothing, infinite numbers
// are not asked for.
void PerExampleGradients::add_unknown_sums(const std::vector<at::Tensor>& factors,
                                           std::vector<at::Tensor>& sums) const {
  for (const auto& [parameter, operation] : unknown_) {
    if (!factors[parameter].any().item<bool>()) continue;
    const at::Tensor weights = factors[parameter].to(losses_.scalar_type());
    const at::Tensor sum =
        torch::autograd::grad({losses_}, {parameters_[parameter]}, {weights}, true, false, true)
            .front();
    if (sum.defined()) sums[parameter] += sum;
  }
}

std::vector<at::Tensor> PerExampleGradients::weighted_sums(
    const std::vector<at::Tensor>& factors) const {
  FactorsByType by_type;
  std::vector<at::Tensor> sums;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    at::Tensor sum;
    for (const auto& use : uses_[i]) {
      const at::Tensor term =
          use->weighted_sum(by_type.of(factors[i], parameters_[i].scalar_type()));
      sum = sum.defined() ? sum + term : term;
    }
    sums.push_back(sum.defined() ? sum.view(parameters_[i].sizes())
                                 : at::zeros_like(parameters_[i].detach()));
  }
  if (!unknown_.empty() && half_precision_) {
    add_walked_sums(factors, sums);
  } else {
    add_unknown_sums(factors, sums);
  }
  return sums;
}

}  // namespace tacit::train
