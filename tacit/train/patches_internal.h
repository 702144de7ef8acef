#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

namespace tacit::train {

// How a kernel is laid over an image, in height and width.
struct PatchShape {
  std::array<std::int64_t, 2> kernel{1, 1};
  std::array<std::int64_t, 2> stride{1, 1};
  std::array<std::int64_t, 2> padding{0, 0};
  std::array<std::int64_t, 2> dilation{1, 1};

  [[nodiscard]] std::int64_t kernel_size() const { return kernel[0] * kernel[1]; }
  // How many places the kernel has along a dimension of an image with this size.
  [[nodiscard]] std::int64_t places(std::size_t dimension, std::int64_t size) const {
    const std::int64_t reach = dilation[dimension] * (kernel[dimension] - 1) + 1;
    return (size + 2 * padding[dimension] - reach) / stride[dimension] + 1;
  }
};

// What a kernel sees of images [n, channels, height, width] at each of its places: `columns`
// becomes [n, channels * kernel, places], contiguous.
void copy_patches(const at::Tensor& images, const PatchShape& shape, const at::Tensor& columns);

// The inner products of patches, kernel at stride 1, for each image: with the places of the padded
// image numbered row by row from 0 to N - 1, entry (p, q) is at p N + q, where p is the place of
// the patch's first pixel. Entries for p or q that are no place of the kernel have no meaning, and
// those behind the last place are left off.
at::Tensor patch_products(const at::Tensor& images, const PatchShape& shape);

}  // namespace tacit::train
