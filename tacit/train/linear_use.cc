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
  LinearUse(at::Tensor input, at::Tensor gradient, at::Tensor squares, ExampleLayout layout,
            bool transposed)
      : input_(std::move(input)),
        gradient_(std::move(gradient)),
        gradient_squares_(std::move(squares)),
        layout_(std::move(layout)),
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
    if (layout_.length() == 1) return with_gross({});
    const std::int64_t numbers = layout_.examples * input_.size(1) * gradient_.size(1);
    if (worth_keeping(numbers, input_.numel() + gradient_.numel(), layout_.length())) {
      return direct_norms(true);
    }
    return prefers_gram() ? gram_norms() : direct_norms(false);
  }

  [[nodiscard]] at::Tensor weighted_sum(const at::Tensor& factors) const override {
    if (kept_.defined()) return at::mv(kept_.t(), factors.to(kept_.scalar_type()));
    const at::Tensor by_example = factors.to(input_.scalar_type());
    const bool scale_input = input_.size(1) < gradient_.size(1);
    const at::Tensor input = scale_input ? layout_.weighed(input_, by_example) : input_;
    const at::Tensor gradient = scale_input ? gradient_ : layout_.weighed(gradient_, by_example);
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

  [[nodiscard]] at::Tensor input_squares() const {
    return squares_by_example(layout_.arrange(input_));
  }
  // At least the sum over rows of |input| |gradient| (Cauchy and Schwarz).
  [[nodiscard]] at::Tensor gross() const { return at::sqrt(input_squares() * gradient_squares_); }

  [[nodiscard]] bool prefers_gram() const {
    const auto length = static_cast<double>(layout_.length());
    const auto in = static_cast<double>(input_.size(1));
    const auto out = static_cast<double>(gradient_.size(1));
    return length * (in + out) < in * out;
  }

  // Of gradients that were multiplied out, and whose squares are `computed`: those of the whole
  // product where it is undefined.
  [[nodiscard]] SquaredNorms with_gross(at::Tensor computed) const {
    return {.computed = std::move(computed),
            .left = input_squares(),
            .right = gradient_squares_,
            .rounding = rounding_bound(layout_.length() + 2, input_.scalar_type())};
  }

  [[nodiscard]] SquaredNorms gram_norms() const {
    const at::Tensor input = layout_.arrange(input_);
    const at::Tensor gradient = layout_.arrange(gradient_);
    const at::Tensor inputs = at::bmm(input, input.transpose(1, 2));
    const at::Tensor gradients = at::bmm(gradient, gradient.transpose(1, 2));
    const std::int64_t terms = input_.size(1) + gradient_.size(1) + kDotTerms;
    SquaredNorms norms{.computed = {},
                       .left = squares_within(inputs, input),
                       .right = gradient_squares_,
                       .rounding = rounding_bound(terms, input_.scalar_type()),
                       .by_inner_products = true,
                       .left_lost = lost_squares(input),
                       .right_lost = lost_squares(gradient)};
    norms.computed = dots_by_example(inputs, gradients);
    return norms;
  }

  SquaredNorms direct_norms(bool keep) {
    const std::int64_t numbers = input_.size(1) * gradient_.size(1);
    const at::Tensor kept = keep ? input_.new_empty({layout_.examples, numbers}) : at::Tensor();
    const at::Tensor squares = squares_in_chunks(
        {.examples = layout_.examples,
         .numbers = numbers,
         .at_once = std::min(
             layout_.examples,
             examples_at_once(numbers, 2 * (input_.numel() + gradient_.numel()), input_.device())),
         .by_thread = input_.is_cpu()},
        input_, kept,
        [&](std::int64_t from, std::int64_t to, const at::Tensor& gradients, at::Tensor&) {
          multiply_out(from, to, gradients);
        });
    SquaredNorms norms = with_gross(squares);
    if (keep) {
      kept_ = kept;
      input_.reset();
      gradient_.reset();
    }
    return norms;
  }

  at::Tensor input_;
  at::Tensor gradient_;
  at::Tensor gradient_squares_;
  ExampleLayout layout_;
  bool transposed_;
  at::Tensor kept_;  // gradients, where they are kept in place of input and gradient
};

}  // namespace

std::unique_ptr<ParameterUse> linear_use(at::Tensor input, at::Tensor gradient, at::Tensor squares,
                                         ExampleLayout layout, bool transposed) {
  return std::make_unique<LinearUse>(std::move(input), std::move(gradient), std::move(squares),
                                     std::move(layout), transposed);
}

}  // namespace tacit::train
