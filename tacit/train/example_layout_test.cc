#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tacit/train/example_layout_internal.h"

namespace tacit::train {
namespace {

TEST(ExampleLayout, FindsTheBatchInFront) {
  EXPECT_EQ(fit_layout(3, 12, {{0, {0, 3}}, {2, {8, 11}}}), (ExampleLayout{3, 12, 4}));
}

TEST(ExampleLayout, FindsTheBatchBehindTheTime) {
  EXPECT_EQ(fit_layout(3, 12, {{0, {0, 9}}, {2, {2, 11}}}), (ExampleLayout{3, 12, 1}));
}

TEST(ExampleLayout, FindsTheBatchInTheMiddle) {
  EXPECT_EQ(fit_layout(3, 12, {{0, {0, 1, 6, 7}}, {2, {4, 11}}}), (ExampleLayout{3, 12, 2}));
}

TEST(ExampleLayout, FindsNoneWhereExamplesMix) {
  EXPECT_FALSE(fit_layout(3, 12, {{0, {0, 4}}, {2, {8}}}));
  EXPECT_FALSE(fit_layout(3, 12, {{0, {0}}, {2, {0}}}));
  EXPECT_FALSE(fit_layout(3, 10, {}));
}

TEST(ExampleLayout, ArrangesRowsByExample) {
  const at::Tensor rows = at::arange(12).view({12, 1});
  for (const std::int64_t stride : {1, 2, 4}) {
    const ExampleLayout layout{3, 12, stride};
    const at::Tensor arranged = layout.arrange(rows);
    EXPECT_EQ(arranged.sizes(), (std::vector<std::int64_t>{3, 4, 1}));
    const at::Tensor owner = layout.spread(at::arange(3));
    for (std::int64_t example = 0; example < 3; ++example) {
      const at::Tensor own = owner.eq(example).nonzero().flatten();
      EXPECT_TRUE(at::equal(arranged[example].flatten(), own)) << stride;
    }
  }
}

}  // namespace
}  // namespace tacit::train
