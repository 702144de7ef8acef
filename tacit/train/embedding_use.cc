#include <ATen/ATen.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tacit/train/parameter_use_internal.h"

namespace tacit::train {
namespace {

// The gradient of example i has, at each vector of the table, the sum of the gradients of the rows
// that looked it up.
class EmbeddingUse final : public ParameterUse {
 public:
  EmbeddingUse(at::Tensor indices, at::Tensor gradient, std::int64_t vectors)
      : indices_(std::move(indices)), gradient_(std::move(gradient)), vectors_(vectors) {}

  [[nodiscard]] at::Tensor per_example(std::int64_t from, std::int64_t to) const override {
    const at::Tensor sums = gradient_.new_zeros({(to - from) * vectors_, gradient_.size(2)});
    const at::Tensor places = cells().slice(0, from, to) - from * vectors_;
    sums.index_add_(0, places.flatten(), gradient_.slice(0, from, to).flatten(0, 1));
    return sums.view({to - from, -1});
  }

  [[nodiscard]] at::Tensor error() const override {
    const std::int64_t length = indices_.size(1);
    return at::sqrt(squares_by_example(gradient_) * static_cast<double>(length)) *
           rounding_bound(length + 1, gradient_.scalar_type());
  }

  SquaredNorms squared_norms() override {
    return prefers_inner_products() ? inner_product_norms() : cell_norms();
  }

  [[nodiscard]] at::Tensor weighted_sum(const at::Tensor& factors) const override {
    const at::Tensor by_example = factors.to(gradient_.scalar_type()).view({-1, 1, 1});
    const at::Tensor sums = gradient_.new_zeros({vectors_, gradient_.size(2)});
    sums.index_add_(0, indices_.flatten(), (gradient_ * by_example).flatten(0, 1));
    return sums.flatten();
  }

  void drop(const at::Tensor& marked) override { gradient_ = without(gradient_, marked); }

 private:
  // A device would have to wait until it is known how many cells there are.
  [[nodiscard]] bool prefers_inner_products() const {
    constexpr std::int64_t kLong = 512;
    return !gradient_.is_cpu() && indices_.size(1) <= kLong;
  }

  // The sum over the pairs of rows that looked up the same vector of their inner products.
  [[nodiscard]] SquaredNorms inner_product_norms() const {
    const at::Tensor same = indices_.unsqueeze(1).eq(indices_.unsqueeze(2));
    const at::Tensor products = at::bmm(gradient_, gradient_.transpose(1, 2));
    const std::int64_t length = indices_.size(1);
    const std::int64_t terms = gradient_.size(2) + kDotTerms;
    const double scale = static_cast<double>(length);
    return {.computed = dots_by_example(products, same.to(products.scalar_type())),
            .left = squares_by_example(gradient_),
            .right = {},
            .rounding = scale * rounding_bound(terms, gradient_.scalar_type()),
            .by_inner_products = true,
            .left_lost = scale * lost_squares(gradient_)};
  }

  // Only the cells of the table that an example looked up are added up.
  [[nodiscard]] SquaredNorms cell_norms() const {
    const auto [cells_used, cell_of_row, counts] = at::_unique2(cells(), true, true);
    const at::Tensor sums = gradient_.new_zeros({cells_used.size(0), gradient_.size(2)});
    sums.index_add_(0, cell_of_row.flatten(), gradient_.flatten(0, 1));
    const at::Tensor squares = at::zeros({indices_.size(0)}, sums.options().dtype(at::kDouble));
    squares.index_add_(0, at::floor_divide(cells_used, vectors_), squares_by_example(sums));
    return SquaredNorms::of_gradients(squares, error());
  }

  // The place of each row's vector in a table for every example.
  [[nodiscard]] at::Tensor cells() const {
    return indices_ + at::arange(indices_.size(0), indices_.options()).unsqueeze(1) * vectors_;
  }

  at::Tensor indices_;   // [examples, length]
  at::Tensor gradient_;  // [examples, length, width]
  std::int64_t vectors_;
};

}  // namespace

std::unique_ptr<ParameterUse> embedding_use(const at::Tensor& indices, const at::Tensor& gradient,
                                            std::int64_t vectors, std::int64_t padding,
                                            const ExampleLayout& layout) {
  const at::Tensor looked_up = layout.arrange(indices.flatten()).to(at::kLong);
  at::Tensor gradients = layout.arrange(gradient.reshape({layout.rows, -1}));
  if (padding >= 0) gradients = gradients.masked_fill((looked_up == padding).unsqueeze(2), 0);
  return std::make_unique<EmbeddingUse>(looked_up, std::move(gradients), vectors);
}

}  // namespace tacit::train
