#include "cli/training/augmentation.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/reflection_pad2d.h>
#include <ATen/ops/where.h>

namespace tacit::training {
namespace {

// For each image and each of its `size` places along a dimension, the place that it is taken from:
// moved by -margin to margin, the image being wider by the margin on either side.
at::Tensor moved_places(std::int64_t images, std::int64_t size, std::int64_t margin,
                        at::TensorOptions options) {
  const at::TensorOptions whole = options.dtype(at::kLong);
  return at::randint(0, 2 * margin + 1, {images, 1}, whole) + at::arange(size, whole);
}

at::Tensor moved(const at::Tensor& images, std::int64_t margin) {
  const std::int64_t count = images.size(0);
  const std::int64_t channels = images.size(1);
  const std::int64_t height = images.size(2);
  const std::int64_t width = images.size(3);
  const at::Tensor wide = at::reflection_pad2d(images, {margin, margin, margin, margin});
  const at::Tensor rows = moved_places(count, height, margin, images.options());
  const at::Tensor columns = moved_places(count, width, margin, images.options());
  return wide
      .gather(2, rows.view({count, 1, height, 1}).expand({count, channels, height, wide.size(3)}))
      .gather(3, columns.view({count, 1, 1, width}).expand({count, channels, height, width}));
}

}  // namespace

at::Tensor views_of(const at::Tensor& images, const AugmentationSection& section,
                    const train::Scattering* scattering) {
  at::Tensor out = section.views > 1 ? images.repeat_interleave(section.views, 0) : images;
  if (section.flip) {
    const at::Tensor turned = at::rand({out.size(0), 1, 1, 1}, out.options()) < 0.5;
    const at::Tensor mirrored = scattering != nullptr ? scattering->mirrored(out) : out.flip({3});
    out = at::where(turned, mirrored, out);
  }
  return section.crop > 0 ? moved(out, section.crop) : out;
}

}  // namespace tacit::training
