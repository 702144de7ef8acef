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

// The inner products of patches with each other, for each image: [n, places, places].
at::Tensor patch_products(const at::Tensor& images, const PatchShape& shape);

}  // namespace tacit::train
