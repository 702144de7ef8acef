#include "tacit/train/device_norms_internal.h"

#include <ATen/ATen.h>

#include <array>

namespace tacit::train {

// The text of device_norms_kernel.h; written by the build.
const char* device_norms_text();

namespace {

// Rows that keep all of a device at work, and numbers that are worth a row.
constexpr std::int64_t kRows = 1024;
constexpr std::int64_t kLeastLength = 2048;

// Into how many rows each of the given ones is split: few and long ones leave a device idle.
std::int64_t splits_of(std::int64_t rows, std::int64_t length) {
  std::int64_t splits = 1;
  while (rows * splits * 2 <= kRows && length % (8 * splits) == 0 &&
         length / (2 * splits) >= kLeastLength) {
    splits *= 2;
  }
  return splits;
}

bool is_aligned(const at::Tensor& matrix, std::int64_t length) {
  constexpr std::uintptr_t kVector = 16;
  return length % 4 == 0 &&
         reinterpret_cast<std::uintptr_t>(matrix.const_data_ptr()) % kVector == 0;
}

}  // namespace

const CudaKernels* norm_kernels(at::Device device) {
  return CudaKernels::shared(device_norms_text(), device);
}

std::optional<at::Tensor> row_dots_on_device(const at::Tensor& left, const at::Tensor& right) {
  if (!left.is_cuda() || left.scalar_type() != at::kFloat || left.numel() == 0) return std::nullopt;
  const CudaKernels* const kernels = norm_kernels(left.device());
  if (kernels == nullptr) return std::nullopt;
  const at::Tensor a = left.contiguous();
  const at::Tensor b = right.is_same(left) ? a : right.contiguous();
  const std::int64_t rows = a.size(0);
  const std::int64_t splits = splits_of(rows, a.size(1));
  long long length = a.size(1) / splits;
  const at::Tensor out = at::empty({rows, splits}, a.options().dtype(at::kDouble));
  const void* a_at = a.const_data_ptr();
  const void* b_at = b.const_data_ptr();
  void* out_at = out.mutable_data_ptr();
  int aligned = is_aligned(a, length) && is_aligned(b, length) ? 1 : 0;
  std::array<void*, 5> arguments{&a_at, &b_at, &length, &aligned, &out_at};
  if (!kernels->launch_blocks("row_dots", static_cast<std::uint64_t>(rows * splits),
                              arguments.data())) {
    return std::nullopt;
  }
  return splits == 1 ? out.view({rows}) : out.sum(1);
}

}  // namespace tacit::train
