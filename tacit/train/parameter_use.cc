#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "tacit/train/parameter_use_internal.h"

namespace tacit::train {
namespace {

class StoredUse final : public ParameterUse {
 public:
  StoredUse(at::Tensor gradients, at::Tensor error)
      : gradients_(std::move(gradients)), error_(std::move(error)) {}

  [[nodiscard]] at::Tensor per_example(std::int64_t from, std::int64_t to) const override {
    return gradients_.slice(0, from, to);
  }
  [[nodiscard]] at::Tensor error() const override { return error_; }
  SquaredNorms squared_norms() override {
    return SquaredNorms::of_gradients(squares_by_example(gradients_), error_);
  }
  [[nodiscard]] at::Tensor weighted_sum(const at::Tensor& factors) const override {
    return at::mv(gradients_.t(), factors.to(gradients_.scalar_type()));
  }
  bool absorb(const ParameterUse& other) override {
    const auto* stored = dynamic_cast<const StoredUse*>(&other);
    if (stored == nullptr) return false;
    gradients_ = gradients_ + stored->gradients_;
    error_ = (error_ + stored->error_) * 2;
    return true;
  }
  void drop(const at::Tensor& marked) override { gradients_ = without(gradients_, marked); }

 private:
  at::Tensor gradients_;
  at::Tensor error_;
};

}  // namespace

bool ParameterUse::absorb(const ParameterUse& /*other*/) { return false; }

std::unique_ptr<ParameterUse> stored_use(at::Tensor gradients, std::int64_t length,
                                         const at::Tensor& squares) {
  const double bound = rounding_bound(length + 1, gradients.scalar_type());
  // The norms of `length` vectors add up to at most sqrt(length) times that of all together.
  at::Tensor error = at::sqrt(squares * static_cast<double>(length)) * bound;
  return std::make_unique<StoredUse>(std::move(gradients), std::move(error));
}

SquaredNorms SquaredNorms::of_gradients(const at::Tensor& computed, const at::Tensor& error) {
  return {computed, (2 * at::sqrt(computed) + error) * error};
}

// Squares are added up in blocks that are short enough for single precision, and these in double.
at::Tensor squares_by_example(const at::Tensor& values) {
  constexpr std::int64_t kBlock = 512;
  const auto squares = [](const at::Tensor& blocks) {
    return at::linalg_vector_norm(blocks, 2, {-1}).to(at::kDouble).square_();
  };
  const at::Tensor rows = values.reshape({values.size(0), -1});
  const std::int64_t whole = rows.size(1) / kBlock * kBlock;
  if (whole == 0) return squares(rows);
  const at::Tensor blocks = rows.slice(1, 0, whole).unflatten(1, {whole / kBlock, kBlock});
  return squares(blocks).sum(1).add_(squares(rows.slice(1, whole)));
}

double rounding_bound(std::int64_t terms, at::ScalarType type) {
  const double unit = type == at::kDouble ? std::numeric_limits<double>::epsilon() / 2
                                          : double{std::numeric_limits<float>::epsilon()} / 2;
  const double product = static_cast<double>(terms) * unit;
  return product < 0.5 ? product / (1 - product) : 1;
}

at::Tensor without(const at::Tensor& values, const at::Tensor& marked) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(values.dim()), 1);
  shape[0] = values.size(0);
  return values.masked_fill(marked.view(shape), 0);
}

std::int64_t examples_at_once(std::int64_t numbers) {
  constexpr std::int64_t kNumbers = 1 << 18;  // 1 MiB of floats: what the cache of a core holds
  return std::max<std::int64_t>(1, kNumbers / std::max<std::int64_t>(1, numbers));
}

}  // namespace tacit::train
