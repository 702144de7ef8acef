#include <ATen/ATen.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tacit/train/parameter_use_internal.h"

namespace tacit::train {
namespace {

// The gradient of example i is G_i' A_i with inputs A_i [length, in] and gradients G_i [length,
// out]. Its squared norm is also the sum of the entries of (A_i A_i') * (G_i G_i'), entry by entry
// (Li, Tramer, Liang, Hashimoto 2022), which is the cheaper way for short sequences and wide maps.
class LinearUse final : public ParameterUse {
 public:
  LinearUse(at::Tensor input, at::Tensor gradient, ExampleLayout layout, bool transposed)
      : input_(std::move(input)),
        gradient_(std::move(gradient)),
        layout_(layout),
        transposed_(transposed) {}

  [[nodiscard]] at::Tensor per_example(std::int64_t from, std::int64_t to) const override {
    if (kept_.defined()) return kept_.slice(0, from, to);
    at::Tensor gradients = input_.new_empty({to - from, input_.size(1) * gradient_.size(1)});
    multiply_out(from, to, gradients);
    return gradients;
  }

  [[nodiscard]] at::Tensor error() const override {
    return gross() * rounding_bound(layout_.length() + 2, input_.scalar_type());
  }

  SquaredNorms squared_norms() override {
    if (layout_.length() == 1) {
      const at::Tensor squares =
          layout_.arrange(squares_by_example(input_) * squares_by_example(gradient_)).squeeze(1);
      const double bound = rounding_bound(layout_.length() + 2, input_.scalar_type());
      return SquaredNorms::of_gradients(squares, at::sqrt(squares) * bound);
    }
    const std::int64_t numbers = layout_.examples * input_.size(1) * gradient_.size(1);
    if (worth_keeping(numbers, input_.numel() + gradient_.numel(), layout_.length())) {
      return direct_norms(true);
    }
    return prefers_gram() ? gram_norms() : direct_norms(false);
  }

  [[nodiscard]] at::Tensor weighted_sum(const at::Tensor& factors) const override {
    if (kept_.defined()) return at::mv(kept_.t(), factors.to(kept_.scalar_type()));
    const at::Tensor by_row = layout_.spread(factors.to(input_.scalar_type())).unsqueeze(1);
    const bool scale_input = input_.size(1) < gradient_.size(1);
    const at::Tensor input = scale_input ? input_ * by_row : input_;
    const at::Tensor gradient = scale_input ? gradient_ : gradient_ * by_row;
    const at::Tensor sum = transposed_ ? at::mm(input.t(), gradient) : at::mm(gradient.t(), input);
    return sum.flatten();
  }

  void drop(const at::Tensor& marked) override {
    if (kept_.defined()) {
      kept_ = without(kept_, marked);
      return;
    }
    const at::Tensor rows = layout_.spread(marked);
    input_ = without(input_, rows);
    gradient_ = without(gradient_, rows);
  }

 private:
  void multiply_out(std::int64_t from, std::int64_t to, const at::Tensor& gradients) const {
    const at::Tensor input = layout_.arrange(input_).slice(0, from, to);
    const at::Tensor gradient = layout_.arrange(gradient_).slice(0, from, to);
    const at::Tensor& left = transposed_ ? input : gradient;
    const at::Tensor& right = transposed_ ? gradient : input;
    at::Tensor product = gradients.view({to - from, left.size(2), right.size(2)});
    at::bmm_out(product, left.transpose(1, 2), right);
  }

  [[nodiscard]] at::Tensor example_squares(const at::Tensor& rows) const {
    return squares_by_example(layout_.arrange(rows));
  }
  // At least the sum over rows of |input| |gradient| (Cauchy and Schwarz).
  [[nodiscard]] at::Tensor gross() const {
    return at::sqrt(example_squares(input_) * example_squares(gradient_));
  }

  [[nodiscard]] bool prefers_gram() const {
    const auto length = static_cast<double>(layout_.length());
    const auto in = static_cast<double>(input_.size(1));
    const auto out = static_cast<double>(gradient_.size(1));
    return length * (in + out) < in * out;
  }

  // The diagonals of both matrices hold the squares that the bound on errors is made of.
  [[nodiscard]] SquaredNorms gram_norms() const {
    const at::Tensor input = layout_.arrange(input_);
    const at::Tensor gradient = layout_.arrange(gradient_);
    at::Tensor inputs = at::bmm(input, input.transpose(1, 2));
    const at::Tensor gradients = at::bmm(gradient, gradient.transpose(1, 2));
    const auto squares_of = [](const at::Tensor& products) {
      return products.diagonal(0, 1, 2).to(at::kDouble).sum(1);
    };
    const at::Tensor gross = squares_of(inputs) * squares_of(gradients);
    const at::Tensor squares = inputs.mul_(gradients).sum(2).to(at::kDouble).sum(1).clamp_min_(0);
    // Twice, since the diagonals have rounding errors of their own.
    const std::int64_t terms = input_.size(1) + gradient_.size(1) + layout_.length() + 2;
    return {squares, gross * (2 * rounding_bound(terms, input_.scalar_type()))};
  }

  SquaredNorms direct_norms(bool keep) {
    const std::int64_t numbers = input_.size(1) * gradient_.size(1);
    const std::int64_t chunk =
        std::min(layout_.examples, examples_at_once(numbers, input_.device()));
    const at::Tensor gradients = input_.new_empty({keep ? layout_.examples : chunk, numbers});
    std::vector<at::Tensor> squares;
    for (std::int64_t from = 0; from < layout_.examples; from += chunk) {
      const std::int64_t to = std::min(layout_.examples, from + chunk);
      const at::Tensor part =
          keep ? gradients.slice(0, from, to) : gradients.slice(0, 0, to - from);
      multiply_out(from, to, part);
      squares.push_back(squares_by_example(part));
    }
    const SquaredNorms norms = SquaredNorms::of_gradients(at::cat(squares), error());
    if (keep) {
      kept_ = gradients;
      input_.reset();
      gradient_.reset();
    }
    return norms;
  }

  at::Tensor input_;
  at::Tensor gradient_;
  ExampleLayout layout_;
  bool transposed_;
  at::Tensor kept_;  // gradients, where they are kept in place of input and gradient
};

}  // namespace

std::unique_ptr<ParameterUse> linear_use(at::Tensor input, at::Tensor gradient,
                                         ExampleLayout layout, bool transposed) {
  return std::make_unique<LinearUse>(std::move(input), std::move(gradient), layout, transposed);
}

}  // namespace tacit::train
