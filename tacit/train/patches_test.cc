#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

#include "tacit/train/patches_internal.h"

namespace tacit::train {
namespace {

std::vector<PatchShape> shapes() {
  return {
      {.kernel = {3, 3}, .padding = {1, 1}},
      {.kernel = {3, 2}, .padding = {0, 1}},
      {.kernel = {2, 3}, .stride = {2, 3}, .padding = {1, 2}},
      {.kernel = {1, 1}},
      {.kernel = {2, 2}, .padding = {3, 0}, .dilation = {3, 2}},
      {.kernel = {8, 7}, .stride = {3, 2}, .padding = {3, 3}},
  };
}

at::Tensor by_libtorch(const at::Tensor& images, const PatchShape& shape) {
  return at::im2col(images, shape.kernel, shape.dilation, shape.padding, shape.stride);
}

TEST(Patches, AreLibtorchs) {
  at::manual_seed(1);
  for (const auto type : {at::kFloat, at::kDouble}) {
    const at::Tensor images = at::randn({3, 4, 7, 8}, type);
    for (const PatchShape& shape : shapes()) {
      const at::Tensor expected = by_libtorch(images, shape);
      const at::Tensor columns = at::full_like(expected, 7);
      copy_patches(images, shape, columns);
      EXPECT_TRUE(at::equal(columns, expected)) << shape.kernel[0] << shape.kernel[1];
    }
  }
}

TEST(Patches, TakeImagesInAnyOrderOfMemory) {
  const at::Tensor images = at::randn({3, 7, 8, 4}).permute({0, 3, 1, 2});
  const PatchShape shape{.kernel = {3, 3}, .padding = {1, 1}};
  const at::Tensor expected = by_libtorch(images, shape);
  const at::Tensor columns = at::empty_like(expected);
  copy_patches(images, shape, columns);
  EXPECT_TRUE(at::equal(columns, expected));
}

TEST(Patches, ProductsAreThoseOfTheColumns) {
  at::manual_seed(2);
  const at::Tensor images = at::randn({3, 4, 7, 8}, at::kDouble);
  for (const PatchShape& shape : shapes()) {
    const at::Tensor columns = by_libtorch(images, shape);
    const at::Tensor expected = at::bmm(columns.transpose(1, 2), columns);
    EXPECT_TRUE(at::allclose(patch_products(images, shape), expected, 1e-12, 1e-12))
        << shape.kernel[0] << shape.kernel[1];
  }
}

}  // namespace
}  // namespace tacit::train
