#include <ATen/ATen.h>

#include <array>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "tacit/train/clip_factors_internal.h"
#include "tacit/train/device_norms_internal.h"
#include "tacit/train/device_norms_kernel.h"

namespace tacit::train {
namespace {

using tacit_device::Limit;
using tacit_device::NormTerms;

// Pays for the rounding of norms, factors and products (proof.md, lemma 2).
constexpr double kHeadroom = 1 - 0x1p-10;
// Keeps automatic clipping from dividing by zero; its authors' value.
constexpr double kAutomaticStability = 0.01;

// The numbers that norms are made of, each once, and how each parameter's are made of them.
struct NormTable {
  at::Tensor numbers;  // [rows, examples]
  std::vector<NormTerms> terms;
};

class NormRows {
 public:
  int place(const at::Tensor& numbers) {
    if (!numbers.defined()) return -1;
    const auto [found, is_new] =
        places_.try_emplace(numbers.unsafeGetTensorImpl(), static_cast<int>(rows_.size()));
    if (is_new) rows_.push_back(numbers);
    return found->second;
  }
  [[nodiscard]] at::Tensor table() const { return at::stack(rows_); }

 private:
  std::unordered_map<const c10::TensorImpl*, int> places_;
  std::vector<at::Tensor> rows_;
};

NormTable table_of(const std::vector<SquaredNorms>& norms) {
  NormRows rows;
  std::vector<NormTerms> terms;
  for (const SquaredNorms& n : norms) {
    terms.push_back(
        {.way = n.by_inner_products ? tacit_device::kInnerProducts : tacit_device::kMultipliedOut,
         .computed = rows.place(n.computed),
         .left = rows.place(n.left),
         .right = rows.place(n.right),
         .rounding = n.rounding,
         .left_lost = n.left_lost,
         .right_lost = n.right_lost});
  }
  return {rows.table(), std::move(terms)};
}

at::Tensor squares_on_processor(const NormTable& table) {
  const at::Tensor numbers = table.numbers.cpu();
  const std::int64_t examples = numbers.size(1);
  const auto parameters = static_cast<std::int64_t>(table.terms.size());
  at::Tensor squares = at::empty({parameters, examples}, at::kDouble);
  const auto* in = numbers.const_data_ptr<double>();
  auto* out = squares.mutable_data_ptr<double>();
  for (const NormTerms& terms : table.terms) {
    for (std::int64_t i = 0; i < examples; ++i) {
      *out++ = tacit_device::upper_square(terms, in, examples, i);
    }
  }
  return squares.to(table.numbers.device());
}

at::Tensor terms_on_device(const std::vector<NormTerms>& terms, at::Device device) {
  const std::size_t size = terms.size() * sizeof terms[0];
  at::Tensor bytes = at::empty({static_cast<std::int64_t>(size)}, at::kByte);
  std::memcpy(bytes.mutable_data_ptr(), terms.data(), size);
  return bytes.to(device);
}

// Undefined where no kernel does it.
at::Tensor squares_on_device(const NormTable& table) {
  const CudaKernels* const kernels = norm_kernels(table.numbers.device());
  if (kernels == nullptr) return {};
  long long parameters = static_cast<long long>(table.terms.size());
  long long examples = table.numbers.size(1);
  const at::Tensor terms = terms_on_device(table.terms, table.numbers.device());
  at::Tensor squares = at::empty({parameters, examples}, table.numbers.options());
  std::uint64_t terms_at = device_address(terms);
  std::uint64_t numbers_at = device_address(table.numbers);
  std::uint64_t squares_at = device_address(squares);
  std::array<void*, 5> arguments{&terms_at, &parameters, &numbers_at, &examples, &squares_at};
  const auto threads = static_cast<std::uint64_t>(parameters * examples);
  if (!kernels->launch("upper_squares", threads, arguments.data())) return {};
  return squares;
}

// Factors as they are asked for: [1, examples], or [parameters, examples].
struct Clipped {
  at::Tensor totals;
  at::Tensor lost;
  at::Tensor factors;
};

Clipped like(const at::Tensor& squares, bool by_parameter) {
  const std::int64_t examples = squares.size(1);
  return {at::empty({examples}, squares.options()),
          at::empty({examples}, squares.options().dtype(at::kBool)),
          at::empty({by_parameter ? squares.size(0) : 1, examples}, squares.options())};
}

Clipped clip_on_processor(const at::Tensor& given, const Limit& limit, bool by_parameter) {
  const at::Tensor squares = given.cpu();
  Clipped clipped = like(squares, by_parameter);
  const std::int64_t parameters = squares.size(0);
  const std::int64_t examples = squares.size(1);
  const auto* in = squares.const_data_ptr<double>();
  auto* totals = clipped.totals.mutable_data_ptr<double>();
  auto* lost = clipped.lost.mutable_data_ptr<bool>();
  auto* factors = clipped.factors.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < examples; ++i) {
    double total = 0;
    for (std::int64_t p = 0; p < parameters; ++p) total += in[p * examples + i];
    totals[i] = total;
    lost[i] = !tacit_device::is_finite(total);
    for (std::int64_t p = 0; p < clipped.factors.size(0); ++p) {
      const double square = by_parameter ? in[p * examples + i] : total;
      factors[p * examples + i] = lost[i] ? 0 : tacit_device::factor_of(square, limit);
    }
  }
  const at::Device device = given.device();
  return {clipped.totals.to(device), clipped.lost.to(device), clipped.factors.to(device)};
}

Clipped clip(const at::Tensor& squares, Limit limit, bool by_parameter) {
  const CudaKernels* const kernels = norm_kernels(squares.device());
  if (kernels == nullptr) return clip_on_processor(squares, limit, by_parameter);
  Clipped clipped = like(squares, by_parameter);
  long long parameters = squares.size(0);
  long long examples = squares.size(1);
  int each = by_parameter ? 1 : 0;
  std::uint64_t squares_at = device_address(squares);
  std::uint64_t totals_at = device_address(clipped.totals);
  std::uint64_t lost_at = device_address(clipped.lost);
  std::uint64_t factors_at = device_address(clipped.factors);
  std::array<void*, 8> arguments{&squares_at, &parameters, &examples, &limit,
                                 &each,       &totals_at,  &lost_at,  &factors_at};
  const auto threads = static_cast<std::uint64_t>(examples);
  if (!kernels->launch("clip_factors", threads, arguments.data())) {
    return clip_on_processor(squares, limit, by_parameter);
  }
  return clipped;
}

}  // namespace

at::Tensor upper_squares(const std::vector<SquaredNorms>& norms) {
  const NormTable table = table_of(norms);
  const at::Tensor squares = squares_on_device(table);
  return squares.defined() ? squares : squares_on_processor(table);
}

ClipFactors clip_factors(const std::vector<SquaredNorms>& norms, const Clipping& clipping,
                         double threshold) {
  const bool by_parameter = clipping.kind == Clipping::Kind::kPerLayer;
  const double share = by_parameter ? std::sqrt(static_cast<double>(norms.size())) : 1;
  const Limit limit{
      .bound = clipping.bound * kHeadroom / share,
      .largest = clipping.bound / threshold,
      .stability = clipping.kind == Clipping::Kind::kAutomatic ? kAutomaticStability : 0};
  const Clipped clipped = clip(upper_squares(norms), limit, by_parameter);
  std::vector<at::Tensor> factors = clipped.factors.unbind();
  if (!by_parameter) factors.resize(norms.size(), factors.front());
  return {clipped.totals, clipped.lost, std::move(factors)};
}

}  // namespace tacit::train
