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
    const at::Tensor input = layout_.arrange(input_).slice(0, from, to);
    const at::Tensor gradient = layout_.arrange(gradient_).slice(0, from, to);
    const at::Tensor product = transposed_ ? at::bmm(input.transpose(1, 2), gradient)
                                           : at::bmm(gradient.transpose(1, 2), input);
    return product.flatten(1);
  }

  [[nodiscard]] at::Tensor error() const override {
    return gross() * rounding_bound(layout_.length() + 2, input_.scalar_type());
  }

  SquaredNorms squared_norms() override {
    if (layout_.length() == 1) {
      const at::Tensor product = row_squares(input_) * row_squares(gradient_);
      return SquaredNorms::of_gradients(layout_.arrange(product).squeeze(1), error());
    }
    return prefers_gram() ? gram_norms() : direct_norms();
  }

  [[nodiscard]] at::Tensor weighted_sum(const at::Tensor& factors) const override {
    const at::Tensor by_row = layout_.spread(factors.to(input_.scalar_type())).unsqueeze(1);
    const bool scale_input = input_.size(1) < gradient_.size(1);
    const at::Tensor input = scale_input ? input_ * by_row : input_;
    const at::Tensor gradient = scale_input ? gradient_ : gradient_ * by_row;
    const at::Tensor sum = transposed_ ? at::mm(input.t(), gradient) : at::mm(gradient.t(), input);
    return sum.flatten();
  }

  // The rows of both, one after the other: a map used in several steps of time is one used on a
  // longer sequence.
  bool absorb(const ParameterUse& other) override {
    const auto* linear = dynamic_cast<const LinearUse*>(&other);
    if (linear == nullptr || linear->transposed_ != transposed_) return false;
    const auto joined = [&](at::Tensor LinearUse::* rows) {
      return at::cat({layout_.arrange(this->*rows), linear->layout_.arrange(linear->*rows)}, 1)
          .flatten(0, 1);
    };
    at::Tensor input = joined(&LinearUse::input_);
    gradient_ = joined(&LinearUse::gradient_);
    input_ = std::move(input);
    layout_.rows += linear->layout_.rows;
    layout_.stride = layout_.length();
    return true;
  }

  void drop(const at::Tensor& marked) override {
    const at::Tensor rows = layout_.spread(marked);
    input_ = without(input_, rows);
    gradient_ = without(gradient_, rows);
  }

 private:
  static at::Tensor row_squares(const at::Tensor& rows) { return squares_by_example(rows); }

  [[nodiscard]] at::Tensor example_squares(const at::Tensor& rows) const {
    return layout_.arrange(row_squares(rows)).sum(1);
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

  [[nodiscard]] SquaredNorms gram_norms() const {
    const at::Tensor input = layout_.arrange(input_);
    const at::Tensor gradient = layout_.arrange(gradient_);
    const at::Tensor inputs = at::bmm(input, input.transpose(1, 2));
    const at::Tensor gradients = at::bmm(gradient, gradient.transpose(1, 2));
    const at::Tensor squares = inputs.mul_(gradients).sum(2).to(at::kDouble).sum(1).clamp_min_(0);
    const std::int64_t terms = input_.size(1) + gradient_.size(1) + layout_.length() + 2;
    return {squares, gross().square_() * rounding_bound(terms, input_.scalar_type())};
  }

  [[nodiscard]] SquaredNorms direct_norms() const {
    const std::int64_t chunk = examples_at_once(input_.size(1) * gradient_.size(1));
    std::vector<at::Tensor> squares;
    for (std::int64_t from = 0; from < layout_.examples; from += chunk) {
      const std::int64_t to = std::min(layout_.examples, from + chunk);
      squares.push_back(squares_by_example(per_example(from, to)));
    }
    return SquaredNorms::of_gradients(at::cat(squares), error());
  }

  at::Tensor input_;
  at::Tensor gradient_;
  ExampleLayout layout_;
  bool transposed_;
};

}  // namespace

std::unique_ptr<ParameterUse> linear_use(at::Tensor input, at::Tensor gradient,
                                         ExampleLayout layout, bool transposed) {
  return std::make_unique<LinearUse>(std::move(input), std::move(gradient), layout, transposed);
}

}  // namespace tacit::train
