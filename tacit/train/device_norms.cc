#include "tacit/train/device_norms_internal.h"

#include <ATen/ATen.h>

#include <array>

#include "tacit/train/device_text_internal.h"

namespace tacit::train {

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

std::optional<at::Tensor> row_dots_on_device(const at::Tensor& left, const at::Tensor& right,
                                             at::Tensor out) {
  if (!left.is_cuda() || left.scalar_type() != at::kFloat || left.numel() == 0) return std::nullopt;
  const CudaKernels* const kernels = norm_kernels(left.device());
  if (kernels == nullptr) return std::nullopt;
  const at::Tensor a = left.contiguous();
  const at::Tensor b = right.is_same(left) ? a : right.contiguous();
  const std::int64_t rows = a.size(0);
  const std::int64_t splits = splits_of(rows, a.size(1));
  const auto doubles = a.options().dtype(at::kDouble);
  if (!out.defined()) out = at::empty({rows}, doubles);
  const at::Tensor parts = splits == 1 ? out : at::empty({rows, splits}, doubles);
  long long length = a.size(1) / splits;
  std::uint64_t a_at = device_address(a);
  std::uint64_t b_at = device_address(b);
  std::uint64_t parts_at = device_address(parts);
  int aligned = is_aligned(a, length) && is_aligned(b, length) ? 1 : 0;
  std::array<void*, 5> arguments{&a_at, &b_at, &length, &aligned, &parts_at};
  if (!kernels->launch_blocks("row_dots", static_cast<std::uint64_t>(rows * splits),
                              arguments.data())) {
    return std::nullopt;
  }
  if (splits > 1) at::sum_out(out, parts, {1});
  return out;
}

bool copy_patches_on_device(const at::Tensor& images, const PatchShape& shape,
                            const at::Tensor& columns) {
  if (!images.is_cuda() || images.scalar_type() != at::kFloat) return false;
  const CudaKernels* const kernels = norm_kernels(images.device());
  if (kernels == nullptr) return false;
  const at::Tensor given = images.contiguous();
  // As the kernel has it: sizes, kernel, stride, padding, dilation and places, of height and width.
  std::array<int, 12> plan{};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t size = images.size(static_cast<std::int64_t>(2 + i));
    const std::array<std::int64_t, 6> numbers{size,
                                              shape.kernel[i],
                                              shape.stride[i],
                                              shape.padding[i],
                                              shape.dilation[i],
                                              shape.places(i, size)};
    for (std::size_t j = 0; j < numbers.size(); ++j) plan[2 * j + i] = static_cast<int>(numbers[j]);
  }
  std::uint64_t images_at = device_address(given);
  std::uint64_t columns_at = device_address(columns);
  std::array<void*, 3> arguments{&images_at, plan.data(), &columns_at};
  const auto channels = static_cast<std::uint64_t>(images.size(0) * images.size(1));
  return kernels->launch_blocks("copy_patches", channels, arguments.data()).has_value();
}

}  // namespace tacit::train
