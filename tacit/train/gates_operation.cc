#include <ATen/ATen.h>

#include <memory>
#include <utility>

#include "tacit/train/recurrence_internal.h"

namespace tacit::train {
namespace {

// The inner products of the rows of each example: [examples, length, length].
at::Tensor products_of(const at::Tensor& rows, const ExampleLayout& layout) {
  const at::Tensor by_example = layout.arrange(rows);
  return at::bmm(by_example, by_example.transpose(1, 2));
}

// What the parameters of one recurrence have in common: the gradients of its gates.
struct GateGradients {
  at::Tensor rows;
  ExampleLayout layout;
  at::Tensor products;
  at::Tensor squares;  // of the gradients of each example
};

// A weight or a bias of the gates: the sum over rows of gradient (outer product) input, where the
// input of a bias is 1. Norms are taken from inner products, as for linear maps; those of the
// gradients serve all parameters.
class GatesUse final : public ParameterUse {
 public:
  GatesUse(std::shared_ptr<GateGradients> gates, at::Tensor input)
      : gates_(std::move(gates)), input_(std::move(input)) {}

  [[nodiscard]] at::Tensor per_example(std::int64_t from, std::int64_t to) const override {
    const at::Tensor gradient = gates_->layout.arrange(gates_->rows).slice(0, from, to);
    if (!input_.defined()) return gradient.sum(1);
    const at::Tensor input = gates_->layout.arrange(input_).slice(0, from, to);
    return at::bmm(gradient.transpose(1, 2), input).flatten(1);
  }

  [[nodiscard]] at::Tensor error() const override {
    const std::int64_t terms = gates_->layout.length() + 2;
    // The square of what bounds the sum over rows of |input| |gradient| (Cauchy and Schwarz).
    const at::Tensor gross = input_.defined()
                                 ? gates_->squares * input_squares(input_products())
                                 : gates_->squares * static_cast<double>(gates_->layout.length());
    return at::sqrt(gross) * rounding_bound(terms, gates_->rows.scalar_type());
  }

  SquaredNorms squared_norms() override {
    const at::Tensor inputs = input_products();
    const ExampleLayout& layout = gates_->layout;
    const std::int64_t in = input_.defined() ? input_.size(1) : 1;
    const std::int64_t terms = in + gates_->rows.size(1) + kDotTerms;
    // The inputs of a bias are ones.
    const double ones = input_.defined() ? 1 : static_cast<double>(layout.length());
    SquaredNorms norms{.computed = {},
                       .left = gates_->squares,
                       .right = input_squares(inputs),
                       .rounding = ones * rounding_bound(terms, gates_->rows.scalar_type()),
                       .by_inner_products = true,
                       .left_lost = ones * lost_squares(layout.arrange(gates_->rows)),
                       .right_lost = input_.defined() ? lost_squares(layout.arrange(input_)) : 0};
    norms.computed = inputs.defined() ? dots_by_example(inputs, gates_->products)
                                      : gates_->products.sum(2).to(at::kDouble).sum(1);
    return norms;
  }

  [[nodiscard]] at::Tensor weighted_sum(const at::Tensor& factors) const override {
    const at::Tensor by_example = factors.to(gates_->rows.scalar_type());
    if (!input_.defined()) return at::mv(gates_->rows.t(), gates_->layout.spread(by_example));
    return at::mm(gates_->rows.t(), gates_->layout.weighed(input_, by_example)).flatten();
  }

  void drop(const at::Tensor& marked) override {
    const at::Tensor rows = gates_->layout.spread(marked);
    gates_->rows = without(gates_->rows, rows);
    if (input_.defined()) input_ = without(input_, rows);
  }

 private:
  [[nodiscard]] at::Tensor input_products() const {
    return input_.defined() ? products_of(input_, gates_->layout) : at::Tensor();
  }
  [[nodiscard]] at::Tensor input_squares(const at::Tensor& products) const {
    return input_.defined() ? squares_within(products, gates_->layout.arrange(input_))
                            : at::Tensor();
  }

  std::shared_ptr<GateGradients> gates_;
  at::Tensor input_;  // undefined for a bias
};

class GatesOperation final : public Operation {
 public:
  GatesOperation(at::Tensor input, at::Tensor states)
      : input_(std::move(input)), states_(std::move(states)) {}

  [[nodiscard]] bool knows(const ParameterArgument& argument) const override {
    return !argument.transposed && argument.position != GatesBackward::kInput;
  }
  [[nodiscard]] std::int64_t row_dimensions(std::int64_t) const override { return 2; }
  [[nodiscard]] std::unique_ptr<ParameterUse> use(const ParameterArgument& argument,
                                                  const at::Tensor& gradient,
                                                  const ExampleLayout& found) const override {
    const ExampleLayout layout = found.example_by_example();
    const at::Tensor rows = found.put_in_order(gradient.flatten(0, 1));
    at::Tensor input = input_of(argument.position);
    if (input.defined()) input = found.put_in_order(input);
    if (prefers_products(layout.length(), rows.size(1))) {
      if (gates_ == nullptr) {
        const at::Tensor products = products_of(rows, layout);
        gates_ = std::make_shared<GateGradients>(rows, layout, products,
                                                 squares_within(products, layout.arrange(rows)));
      }
      return std::make_unique<GatesUse>(gates_, input);
    }
    const at::Tensor& squares = squares_.of(rows, layout);
    return input.defined() ? linear_use(input, rows, squares, layout, false)
                           : row_sum_use(rows, layout, squares);
  }

 private:
  [[nodiscard]] at::Tensor input_of(std::size_t position) const {
    if (position == GatesBackward::kInputWeight) return input_;
    if (position == GatesBackward::kStateWeight) return states_;
    return {};
  }
  // Of short sequences inner products are cheaper than gradients multiplied out.
  [[nodiscard]] bool prefers_products(std::int64_t length, std::int64_t gates) const {
    const std::int64_t in = input_.size(1) + states_.size(1);
    return length * (in + gates) < in * gates;
  }

  at::Tensor input_;
  at::Tensor states_;
  // Made for the first of the parameters, of the one gradient that a graph has.
  mutable std::shared_ptr<GateGradients> gates_;
  mutable SharedSquares squares_;
};

}  // namespace

std::unique_ptr<Operation> gates_operation(const GatesBackward& node) {
  return std::make_unique<GatesOperation>(node.input().flatten(0, 1), node.states().flatten(0, 1));
}

}  // namespace tacit::train
