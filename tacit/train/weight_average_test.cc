#include "tacit/train/weight_average.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace tacit::train {
namespace {

TEST(WeightAverage, FollowsTheWeights) {
  const at::Tensor w = at::zeros({2}).set_requires_grad(true);
  auto average = WeightAverage::create({w}, 0.5);
  ASSERT_TRUE(average);
  w.detach().fill_(10);
  average->update();  // keeps a tenth
  EXPECT_FLOAT_EQ(average->averages()[0][0].item<float>(), 9);
  for (int i = 0; i < 8; ++i) average->update();
  w.detach().fill_(20);
  average->update();  // keeps half
  EXPECT_NEAR(average->averages()[0][0].item<float>(), 15, 0.01);
  average->swap();
  EXPECT_NEAR(w[0].item<float>(), 15, 0.01);
  average->swap();
  EXPECT_FLOAT_EQ(w[0].item<float>(), 20);
}

TEST(WeightAverage, GoesOnFromACheckpoint) {
  const at::Tensor w = at::zeros({2});
  auto average = WeightAverage::create({w}, 0.9);
  ASSERT_TRUE(average->restore({at::ones({2})}, 7));
  EXPECT_EQ(average->updates(), 7U);
  EXPECT_FLOAT_EQ(average->averages()[0][1].item<float>(), 1);
  EXPECT_FALSE(average->restore({at::ones({3})}, 7));
  EXPECT_FALSE(WeightAverage::create({w}, 1));
}

}  // namespace
}  // namespace tacit::train
