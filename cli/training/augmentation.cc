#include "cli/training/augmentation.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/reflection_pad2d.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tacit/random/uniform.h"

namespace tacit::training {
namespace {

// For each image one of 0, ..., n - 1, drawn for it alone.
at::Tensor drawn_below(std::int64_t n, const at::Tensor& images, SecureStream& stream) {
  std::vector<std::uint64_t> drawn(static_cast<std::size_t>(images.size(0)));
  fill_uniform_below(stream, static_cast<std::uint64_t>(n), drawn);
  const at::Tensor out = at::empty({images.size(0)}, at::kLong);
  std::ranges::transform(drawn, out.mutable_data_ptr<std::int64_t>(),
                         [](std::uint64_t each) { return static_cast<std::int64_t>(each); });
  return out.to(images.device());
}

// For each image and each of its `size` places along a dimension, the place that it is taken from:
// moved by -margin to margin, the image being wider by the margin on either side.
at::Tensor moved_places(const at::Tensor& images, std::int64_t size, std::int64_t margin,
                        SecureStream& stream) {
  return drawn_below(2 * margin + 1, images, stream).unsqueeze(1) +
         at::arange(size, images.options().dtype(at::kLong));
}

at::Tensor moved(const at::Tensor& images, std::int64_t margin, SecureStream& stream) {
  const std::int64_t count = images.size(0);
  const std::int64_t channels = images.size(1);
  const std::int64_t height = images.size(2);
  const std::int64_t width = images.size(3);
  const at::Tensor wide = at::reflection_pad2d(images, {margin, margin, margin, margin});
  const at::Tensor rows = moved_places(images, height, margin, stream);
  const at::Tensor columns = moved_places(images, width, margin, stream);
  return wide
      .gather(2, rows.view({count, 1, height, 1}).expand({count, channels, height, wide.size(3)}))
      .gather(3, columns.view({count, 1, 1, width}).expand({count, channels, height, width}));
}

}  // namespace

at::Tensor views_of(const at::Tensor& images, const AugmentationSection& section,
                    SecureStream& stream, const train::Scattering* scattering) {
  at::Tensor out = section.views > 1 ? images.repeat_interleave(section.views, 0) : images;
  if (section.flip) {
    const at::Tensor turned = drawn_below(2, out, stream).eq(1).view({-1, 1, 1, 1});
    const at::Tensor mirrored = scattering != nullptr ? scattering->mirrored(out) : out.flip({3});
    out = at::where(turned, mirrored, out);
  }
  return section.crop > 0 ? moved(out, section.crop, stream) : out;
}

}  // namespace tacit::training
