#include "tacit/train/repeat_internal.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/generated/Functions.h>

#include <algorithm>

namespace tacit::train {
namespace {

using torch::autograd::generated::RepeatBackward0;

// The gradient of an example is the sum over its copies. A row of what was given out holds some
// copies, or a part of one.
class RepeatOperation final : public Operation {
 public:
  [[nodiscard]] bool knows(const ParameterArgument& argument) const override {
    return !argument.transposed && argument.parameter.numel() > 0;
  }
  [[nodiscard]] std::int64_t row_dimensions(std::int64_t) const override { return 1; }
  [[nodiscard]] std::unique_ptr<ParameterUse> use(const ParameterArgument& argument,
                                                  const at::Tensor& gradient,
                                                  const ExampleLayout& found) const override {
    const std::int64_t size = argument.parameter.numel();
    const ExampleLayout layout = found.example_by_example();
    const at::Tensor given = gradient.reshape({found.rows, -1});
    const at::Tensor rows = found.put_in_order(given);
    if (rows.size(1) >= size) return row_sum_use(rows.unflatten(1, {-1, size}).sum(1), layout);
    const std::int64_t parts = size / rows.size(1);
    const at::Tensor row = at::arange(found.rows, rows.options().dtype(at::kLong));
    const at::Tensor part = found.put_in_order(row.remainder(parts));
    const at::Tensor example = layout.spread(at::arange(layout.examples, row.options()));
    const at::Tensor sums = rows.new_zeros({layout.examples * parts, rows.size(1)});
    sums.index_add_(0, example * parts + part, rows);
    return stored_use(sums.view({layout.examples, size}), layout.length(),
                      squares_by_example(layout.arrange(rows)));
  }
};

}  // namespace

std::unique_ptr<Operation> repeat_operation(torch::autograd::Node& node,
                                            const at::Tensor& parameter) {
  const auto& repeats = dynamic_cast<RepeatBackward0&>(node).repeats;
  const auto inner = std::max<std::int64_t>(parameter.dim(), 1) - 1;
  const bool in_order =
      std::all_of(repeats.end() - inner, repeats.end(),
                  [](const c10::SymInt& times) { return times.expect_int() == 1; });
  return in_order ? std::make_unique<RepeatOperation>() : nullptr;
}

}  // namespace tacit::train
