#include "tacit/train/patches_internal.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "tacit/train/device_norms_internal.h"
#include "tacit/train/in_parallel_internal.h"

namespace tacit::train {
namespace {

// The places from `first` to `last` - 1 see a pixel of a line, the others padding.
struct Line {
  std::int64_t start = 0;  // the pixel that place 0 sees
  std::int64_t stride = 1;
  std::int64_t first = 0;
  std::int64_t last = 0;
};

Line line_of(const PatchShape& shape, std::size_t dimension, std::int64_t offset, std::int64_t size,
             std::int64_t places) {
  const std::int64_t stride = shape.stride[dimension];
  const std::int64_t start = offset * shape.dilation[dimension] - shape.padding[dimension];
  const std::int64_t first = start < 0 ? (stride - 1 - start) / stride : 0;
  const std::int64_t last = start < size ? (size - 1 - start) / stride + 1 : 0;
  return {start, stride, std::min(first, places),
          std::clamp(last, std::min(first, places), places)};
}

template <class Number>
void copy_line(const Number* pixels, const Line& line, std::int64_t places, Number* out) {
  std::fill(out, out + line.first, Number{0});
  if (line.stride == 1) {
    std::copy(pixels + line.start + line.first, pixels + line.start + line.last, out + line.first);
  } else {
    for (std::int64_t i = line.first; i < line.last; ++i) {
      out[i] = pixels[line.start + i * line.stride];
    }
  }
  std::fill(out + line.last, out + places, Number{0});
}

// One channel of one image: [height, width] to [kernel, places].
template <class Number>
void copy_channel(const Number* pixels, std::int64_t height, std::int64_t width,
                  const PatchShape& shape, Number* out) {
  const std::int64_t rows = shape.places(0, height);
  const std::int64_t places = shape.places(1, width);
  for (std::int64_t down = 0; down < shape.kernel[0]; ++down) {
    const Line vertical = line_of(shape, 0, down, height, rows);
    for (std::int64_t across = 0; across < shape.kernel[1]; ++across) {
      const Line horizontal = line_of(shape, 1, across, width, places);
      for (std::int64_t row = 0; row < rows; ++row, out += places) {
        if (row < vertical.first || row >= vertical.last) {
          std::fill(out, out + places, Number{0});
        } else {
          const std::int64_t seen = vertical.start + row * vertical.stride;
          copy_line(pixels + seen * width, horizontal, places, out);
        }
      }
    }
  }
}

template <class Number>
void copy_all(const at::Tensor& images, const PatchShape& shape, const at::Tensor& columns) {
  const std::int64_t height = images.size(2);
  const std::int64_t width = images.size(3);
  const std::int64_t numbers =
      shape.kernel_size() * shape.places(0, height) * shape.places(1, width);
  const auto* pixels = images.const_data_ptr<Number>();
  auto* out = columns.mutable_data_ptr<Number>();
  constexpr std::int64_t kGrain = 1 << 15;  // numbers that are worth a thread
  in_parallel(images.size(0) * images.size(1), std::max<std::int64_t>(1, kGrain / numbers),
              [&](std::int64_t from, std::int64_t to) {
                for (std::int64_t i = from; i < to; ++i) {
                  copy_channel(pixels + i * height * width, height, width, shape,
                               out + i * numbers);
                }
              });
}

// Along one dimension of `products` [n, height, width, height, width], the sum over the pixels d of
// a kernel of what is at the pixels that its places p and q see: entry (p, q) adds up (p + d, q +
// d).
at::Tensor sums_along(const at::Tensor& products, const PatchShape& shape, std::size_t dimension) {
  const auto first_side = static_cast<std::int64_t>(1 + dimension);
  const auto second_side = static_cast<std::int64_t>(3 + dimension);
  const std::int64_t size = products.size(first_side);
  const std::int64_t places = shape.places(dimension, size);
  std::vector<std::int64_t> sizes = products.sizes().vec();
  sizes[1 + dimension] = sizes[3 + dimension] = places;
  const at::Tensor sums = products.new_zeros(sizes);
  for (std::int64_t offset = 0; offset < shape.kernel[dimension]; ++offset) {
    const Line line = line_of(shape, dimension, offset, size, places);
    if (line.first == line.last) continue;
    const std::int64_t from = line.start + line.first * line.stride;
    const std::int64_t to = line.start + (line.last - 1) * line.stride + 1;
    sums.slice(first_side, line.first, line.last)
        .slice(second_side, line.first, line.last)
        .add_(products.slice(first_side, from, to, line.stride)
                  .slice(second_side, from, to, line.stride));
  }
  return sums;
}

// All patches are views of the padded images: one copy, where libtorch would make one an image.
void copy_views(const at::Tensor& images, const PatchShape& shape, const at::Tensor& columns) {
  const auto [down, across] = shape.padding;
  const at::Tensor padded = at::constant_pad_nd(images, {across, across, down, down}).contiguous();
  const std::int64_t line = padded.size(3);
  const std::vector<std::int64_t> sizes{images.size(0),
                                        images.size(1),
                                        shape.kernel[0],
                                        shape.kernel[1],
                                        shape.places(0, images.size(2)),
                                        shape.places(1, images.size(3))};
  const std::vector<std::int64_t> strides{padded.stride(0),         padded.stride(1),
                                          shape.dilation[0] * line, shape.dilation[1],
                                          shape.stride[0] * line,   shape.stride[1]};
  columns.view(sizes).copy_(padded.as_strided(sizes, strides));
}

}  // namespace

void copy_patches(const at::Tensor& images, const PatchShape& shape, const at::Tensor& columns) {
  if (!images.is_cpu()) {
    if (!copy_patches_on_device(images, shape, columns)) copy_views(images, shape, columns);
  } else if (images.scalar_type() == at::kDouble) {
    copy_all<double>(images.contiguous(), shape, columns);
  } else {
    copy_all<float>(images.contiguous(), shape, columns);
  }
}

// Patches at p and q meet, pixel by pixel of the kernel, in inner products of pixels.
at::Tensor patch_products(const at::Tensor& images, const PatchShape& shape) {
  const std::int64_t height = images.size(2);
  const std::int64_t width = images.size(3);
  const at::Tensor pixels = images.flatten(2);
  const at::Tensor products =
      at::bmm(pixels.transpose(1, 2), pixels).view({images.size(0), height, width, height, width});
  const at::Tensor sums = sums_along(sums_along(products, shape, 1), shape, 0);
  return sums.flatten(3).flatten(1, 2);
}

}  // namespace tacit::train
