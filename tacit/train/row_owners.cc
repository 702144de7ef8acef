#include "tacit/train/row_owners_internal.h"

#include <ATen/ATen.h>

#include <cmath>

#include "tacit/train/example_layout_internal.h"

namespace tacit::train {
namespace {

// Powers of two from 2^-32 to 2^31.
constexpr std::int64_t kDigits = 64;
constexpr std::int64_t kMiddle = kDigits / 2;
constexpr std::int64_t kMarks = 4;
// What rounding may move a mark by; kernels of devices may add up in another order each time.
constexpr double kTolerance = 0x1p-10;
// Within these, times any of the weights, gradients stay within the range of single precision.
constexpr double kSmallest = 1e-25;
constexpr double kLargest = 1e24;

std::int64_t passes_for(std::int64_t examples) {
  std::int64_t passes = 1;
  for (std::int64_t told = 1; told < examples; told *= kDigits) ++passes;
  return passes;
}

// The digit of the weight that one row's marks grew by; nothing where there is none.
std::optional<std::int64_t> digit_of(const double* before, const double* after) {
  std::int64_t largest = 0;
  for (std::int64_t i = 1; i < kMarks; ++i) {
    if (std::abs(before[i]) > std::abs(before[largest])) largest = i;
  }
  const double ratio = after[largest] / before[largest];
  if (!(ratio > 0) || !std::isfinite(ratio)) return std::nullopt;
  const auto power = static_cast<std::int64_t>(std::lround(std::log2(ratio)));
  if (power < -kMiddle || power >= kMiddle) return std::nullopt;
  const double factor = std::exp2(static_cast<double>(power));
  for (std::int64_t i = 0; i < kMarks; ++i) {
    const double error = std::abs(after[i] / factor - before[i]);
    if (!(error <= kTolerance * std::abs(before[largest]))) return std::nullopt;
  }
  return power + kMiddle;
}

}  // namespace

OwnerSearch::OwnerSearch(std::int64_t examples) : examples_(examples) {
  const std::int64_t passes = passes_for(examples);
  weights_ = at::ones({passes, examples}, at::kDouble);
  auto* weight = weights_.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < examples; ++i) {
    std::int64_t left = i;
    for (std::int64_t pass = 1; pass < passes; ++pass) {
      weight[pass * examples + i] = std::exp2(static_cast<double>(left % kDigits - kMiddle));
      left /= kDigits;
    }
  }
}

// Sums with fixed weights that no model knows: gradients of two examples hide in none of them.
at::Tensor OwnerSearch::marks_of(const at::Tensor& gradient, std::int64_t rows) {
  const auto type = gradient.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const at::Tensor by_row = gradient.reshape({rows, -1}).to(type);
  const at::Tensor place = at::arange(by_row.size(1) * kMarks, by_row.options());
  const at::Tensor mixture = (place * 1.618033988749895 + 0.5).square_().sin_().add_(1.5);
  return at::mm(by_row, mixture.view({by_row.size(1), kMarks})).to(at::kCPU, at::kDouble);
}

at::Tensor OwnerSearch::no_marks(std::int64_t rows) {
  return at::zeros({rows, kMarks}, at::kDouble);
}

std::optional<std::vector<std::int64_t>> OwnerSearch::owners(
    const std::vector<at::Tensor>& marks) const {
  const at::Tensor all = at::stack(marks).contiguous();
  const std::int64_t rows = all.size(1);
  const at::Tensor sizes = all.abs().amax(2);
  // Gradients of several examples may cancel where all weigh alike.
  const at::Tensor cancel =
      sizes.amax(0).gt(kSmallest * 0x1p32).logical_and_(sizes[0].le(kSmallest));
  if (cancel.any().item<bool>()) return std::nullopt;
  const at::Tensor told_of = sizes[0].gt(kSmallest).logical_and_(sizes[0].lt(kLargest));
  const auto* value = all.const_data_ptr<double>();
  const auto* told = told_of.const_data_ptr<bool>();
  std::vector<std::int64_t> owners(static_cast<std::size_t>(rows), ExampleLayout::kNobody);
  for (std::int64_t row = 0; row < rows; ++row) {
    if (!told[row]) continue;
    std::int64_t owner = 0;
    std::int64_t unit = 1;
    for (std::int64_t pass = 1; pass < all.size(0); ++pass) {
      const auto digit = digit_of(value + row * kMarks, value + (pass * rows + row) * kMarks);
      if (!digit) return std::nullopt;
      owner += *digit * unit;
      unit *= kDigits;
    }
    if (owner >= examples_) return std::nullopt;
    owners[static_cast<std::size_t>(row)] = owner;
  }
  return owners;
}

}  // namespace tacit::train
