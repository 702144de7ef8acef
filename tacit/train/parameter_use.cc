#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tacit/train/device_norms_internal.h"
#include "tacit/train/in_parallel_internal.h"
#include "tacit/train/parameter_use_internal.h"

namespace tacit::train {
namespace {

class StoredUse final : public ParameterUse {
 public:
  // `terms` of each gradient were added up, whose squares sum to `squares`.
  StoredUse(at::Tensor gradients, std::int64_t terms, at::Tensor squares)
      : gradients_(std::move(gradients)),
        squares_(std::move(squares)),
        // The norms of so many vectors add up to at most sqrt(terms) times that of all together.
        rounding_(std::sqrt(static_cast<double>(terms)) *
                  rounding_bound(terms + 1, gradients_.scalar_type())),
        computed_(terms == 1 ? squares_ : at::Tensor()) {}

  [[nodiscard]] at::Tensor per_example(std::int64_t from, std::int64_t to) const override {
    return gradients_.slice(0, from, to);
  }
  [[nodiscard]] at::Tensor error() const override { return at::sqrt(squares_) * rounding_; }
  SquaredNorms squared_norms() override {
    return {.computed = computed_.defined() ? computed_ : squares_by_example(gradients_),
            .left = squares_,
            .right = {},
            .rounding = rounding_};
  }
  [[nodiscard]] at::Tensor weighted_sum(const at::Tensor& factors) const override {
    return at::mv(gradients_.t(), factors.to(gradients_.scalar_type()));
  }
  void drop(const at::Tensor& marked) override { gradients_ = without(gradients_, marked); }

 private:
  at::Tensor gradients_;
  at::Tensor squares_;
  double rounding_;
  at::Tensor computed_;  // where the squares of the gradients are known
};

}  // namespace

std::unique_ptr<ParameterUse> stored_use(at::Tensor gradients, std::int64_t length,
                                         const at::Tensor& squares) {
  return std::make_unique<StoredUse>(std::move(gradients), length, squares);
}

std::unique_ptr<ParameterUse> row_sum_use(const at::Tensor& by_row, const ExampleLayout& layout) {
  return row_sum_use(by_row, layout, squares_by_example(layout.arrange(by_row)));
}

std::unique_ptr<ParameterUse> row_sum_use(const at::Tensor& by_row, const ExampleLayout& layout,
                                          const at::Tensor& squares) {
  const at::Tensor rows = layout.arrange(by_row);
  return stored_use(layout.length() == 1 ? rows.squeeze(1) : rows.sum(1), layout.length(), squares);
}

SquaredNorms SquaredNorms::of_gradients(at::Tensor computed, const at::Tensor& error) {
  return {.computed = std::move(computed), .left = at::square(error), .right = {}, .rounding = 1};
}

double lost_squares(const at::Tensor& values) {
  // A number below 2^-63 may have a square of 0, where a processor is told to flush small numbers.
  constexpr double kSmallest = 0x1p-126;
  const std::int64_t numbers = values.numel() / std::max<std::int64_t>(1, values.size(0));
  return static_cast<double>(numbers) * kSmallest;
}

namespace {

// Sums of what is added up in blocks that are short enough for single precision, and these in
// double.
constexpr std::int64_t kBlock = 512;

template <class Sums>
at::Tensor sums_in_blocks(const at::Tensor& rows, const Sums& sums) {
  const std::int64_t whole = rows.size(1) / kBlock * kBlock;
  if (whole == 0) return sums(rows);
  const at::Tensor blocks = rows.slice(1, 0, whole).unflatten(1, {whole / kBlock, kBlock});
  return sums(blocks).sum(1).add_(sums(rows.slice(1, whole)));
}

at::Tensor as_rows(const at::Tensor& values) { return values.reshape({values.size(0), -1}); }

}  // namespace

at::Tensor squares_by_example(const at::Tensor& values) {
  const at::Tensor rows = as_rows(values);
  if (const auto squares = row_dots_on_device(rows, rows)) return *squares;
  if (!rows.is_cpu()) return at::linalg_vector_norm(rows, 2, {1}, false, at::kDouble).square_();
  const auto squares = [](const at::Tensor& blocks) {
    return at::linalg_vector_norm(blocks, 2, {-1}).to(at::kDouble).square_();
  };
  return sums_in_blocks(rows, squares).add_(lost_squares(values));
}

at::Tensor dots_by_example(const at::Tensor& left, const at::Tensor& right) {
  const at::Tensor rows = as_rows(left);
  const at::Tensor others = as_rows(right);
  if (const auto dots = row_dots_on_device(rows, others)) return *dots;
  const auto sums = [](const at::Tensor& blocks) { return blocks.sum(-1).to(at::kDouble); };
  return sums_in_blocks(rows.mul_(others), sums);
}

at::Tensor squares_within(const at::Tensor& products, const at::Tensor& rows) {
  if (!rows.is_cpu()) return squares_by_example(rows);
  const double headroom = 1 + 2 * rounding_bound(rows.size(2), products.scalar_type());
  return products.diagonal(0, 1, 2).to(at::kDouble).sum(1).mul_(headroom).add_(lost_squares(rows));
}

at::Tensor squares_in_chunks(const Chunks& chunks, const at::Tensor& like, const at::Tensor& kept,
                             const MultiplyOut& multiply_out) {
  const at::Tensor squares = at::empty({chunks.examples}, like.options().dtype(at::kDouble));
  const auto work = [&](std::int64_t first, std::int64_t last) {
    const c10::NoGradGuard no_grad;  // which each thread has its own of
    at::Tensor room;
    at::Tensor made;
    for (std::int64_t chunk = first; chunk < last; ++chunk) {
      const std::int64_t from = chunk * chunks.at_once;
      const std::int64_t to = std::min(chunks.examples, from + chunks.at_once);
      if (!kept.defined() && !made.defined()) made = like.new_empty({to - from, chunks.numbers});
      const at::Tensor part =
          kept.defined() ? kept.slice(0, from, to) : made.slice(0, 0, to - from);
      multiply_out(from, to, part, room);
      const at::Tensor found = squares.slice(0, from, to);
      if (!row_dots_on_device(part, part, found)) found.copy_(squares_by_example(part));
    }
  };
  const std::int64_t count = (chunks.examples + chunks.at_once - 1) / chunks.at_once;
  if (chunks.by_thread) {
    in_parallel(count, 1, work);
  } else {
    work(0, count);
  }
  return squares;
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

std::int64_t examples_at_once(std::int64_t numbers, std::int64_t held, at::Device device) {
  // 1 MiB of floats, which the cache of a core holds; on a device enough to keep all of it at work,
  // and no more than is held anyway.
  constexpr std::int64_t kCache = 1 << 18;
  constexpr std::int64_t kLeast = 1 << 20;
  constexpr std::int64_t kMost = 1 << 25;
  const std::int64_t at_once = device.is_cpu() ? kCache : std::clamp(held, kLeast, kMost);
  return std::max<std::int64_t>(1, at_once / std::max<std::int64_t>(1, numbers));
}

bool worth_keeping(std::int64_t gradients, std::int64_t factors, std::int64_t terms) {
  // Products that take as long as to write a number to memory and read it again.
  constexpr std::int64_t kProducts = 50;
  return terms >= kProducts && gradients <= factors + factors / 4;
}

}  // namespace tacit::train
