#include "tacit/train/clipped_sum.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <limits>

#include "tacit/train/testing/clipped_sum_for_tests.h"

namespace tacit::train {
namespace {

using ::testing::HasSubstr;

at::Tensor parameter(at::IntArrayRef shape, at::ScalarType type = at::kFloat) {
  return at::randn(shape, type).set_requires_grad(true);
}

at::Tensor linear_losses(const at::Tensor& x, const at::Tensor& weight) {
  return at::linear(x, weight).square().sum(1);
}

at::Tensor only_gradient(const ClippedSum& sum) {
  return ClippedSumForTests::gradients(sum).front();
}

Clipper clipper_for(std::vector<at::Tensor> parameters, Clipping clipping) {
  auto clipper = Clipper::create(std::move(parameters), clipping);
  EXPECT_TRUE(clipper);
  return *std::move(clipper);
}

TEST(ClippedSum, NoExampleAddsMoreThanTheBound) {
  at::manual_seed(1);
  const at::Tensor weight = parameter({8, 16});
  const at::Tensor x = at::randn({1, 16}) * 100;
  for (const auto kind :
       {Clipping::Kind::kFlat, Clipping::Kind::kPerLayer, Clipping::Kind::kAutomatic}) {
    Clipper clipper = clipper_for({weight}, {kind, 0.25});
    const auto sum = clipper.clip(linear_losses(x, weight));
    ASSERT_TRUE(sum) << sum.error().message();
    const double norm = only_gradient(*sum).to(at::kDouble).norm().item<double>();
    EXPECT_LE(norm, 0.25);
    EXPECT_GT(norm, 0.25 * (1 - 0x1p-9));
  }
}

TEST(ClippedSum, IsTheSumOfGradientsClippedOneByOne) {
  at::manual_seed(2);
  const at::Tensor weight = parameter({8, 16}, at::kDouble);
  const at::Tensor x = at::randn({12, 16}, at::kDouble) * at::linspace(0.001, 1, 12).view({12, 1});
  Clipper clipper = clipper_for({weight}, {.bound = 5});
  const auto sum = clipper.clip(linear_losses(x, weight));
  ASSERT_TRUE(sum);
  at::Tensor expected = at::zeros_like(weight).detach();
  int clipped = 0;
  for (std::int64_t i = 0; i < 12; ++i) {
    const at::Tensor gradient =
        torch::autograd::grad({linear_losses(x.slice(0, i, i + 1), weight).sum()}, {weight})[0];
    const double norm = gradient.norm().item<double>();
    const double bound = 5 * (1 - 0x1p-10);
    clipped += norm > bound ? 1 : 0;
    expected += gradient * std::min(1.0, bound / norm);
  }
  EXPECT_GT(clipped, 2);
  EXPECT_LT(clipped, 10);
  EXPECT_TRUE(at::allclose(only_gradient(*sum), expected, 1e-9, 1e-12));
}

TEST(ClippedSum, AnExampleThatIsNotFiniteAddsNothing) {
  at::manual_seed(3);
  for (const double poison :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 1e30}) {
    const at::Tensor weight = parameter({8, 16});
    const at::Tensor scale = parameter({16});
    const auto losses = [&](const at::Tensor& x) { return linear_losses(x * scale, weight); };
    at::Tensor x = at::randn({4, 16});
    Clipper clipper = clipper_for({weight, scale}, {.bound = 1});
    const auto without = clipper.clip(losses(x.slice(0, 1)));
    x[0][3] = poison;
    const auto with = clipper.clip(losses(x));
    ASSERT_TRUE(without && with);
    for (std::size_t p = 0; p < 2; ++p) {
      EXPECT_TRUE(at::allclose(ClippedSumForTests::gradients(*with)[p],
                               ClippedSumForTests::gradients(*without)[p], 1e-4, 1e-6));
    }
  }
}

// Large images, whose gradients one kernel makes for many examples at once.
TEST(ClippedSum, AnImageThatIsNotFiniteAddsNothing) {
  at::manual_seed(13);
  const at::Tensor weight = parameter({6, 4, 3, 3});
  const auto losses = [&](const at::Tensor& x) {
    return at::tanh(at::conv2d(x, weight)).flatten(1).square().sum(1);
  };
  at::Tensor x = at::randn({4, 4, 14, 14});
  Clipper clipper = clipper_for({weight}, {.bound = 1});
  const auto without = clipper.clip(losses(x.slice(0, 1)));
  x[0][3][5] = std::numeric_limits<double>::quiet_NaN();
  const auto with = clipper.clip(losses(x));
  ASSERT_TRUE(without && with);
  EXPECT_TRUE(at::allclose(only_gradient(*with), only_gradient(*without), 1e-4, 1e-6));
}

TEST(ClippedSum, RefusesReducedPrecisionOfOneKindOfProducts) {
  using Backend = at::Float32Backend;
  using Op = at::Float32Op;
  const at::Tensor weight = parameter({8, 16});
  Clipper clipper = clipper_for({weight}, {.bound = 1});
  for (const Op op : {Op::CONV, Op::RNN, Op::MATMUL}) {
    at::globalContext().setFloat32Precision(Backend::MKLDNN, op, at::Float32Precision::BF16);
    const auto refused = clipper.clip(linear_losses(at::randn({4, 16}), weight));
    at::globalContext().setFloat32Precision(Backend::MKLDNN, op, at::Float32Precision::NONE);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), HasSubstr("reduced precision"));
  }
  EXPECT_TRUE(clipper.clip(linear_losses(at::randn({4, 16}), weight)));
}

// A backward pass from one loss goes through the infinite numbers of the others, too.
TEST(ClippedSum, RefusesWhatIsNotFiniteOnTheSlowWay) {
  const at::Tensor scale = parameter({16});
  const auto losses = [&](const at::Tensor& x) { return (x / scale).square().sum(1); };
  at::Tensor x = at::randn({4, 16});
  Clipper clipper = clipper_for({scale}, {.bound = 1});
  EXPECT_TRUE(clipper.clip(losses(x)));
  x[0][3] = std::numeric_limits<double>::infinity();
  const auto refused = clipper.clip(losses(x));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("not finite"));
  const auto by_itself = clipper.clip(losses(x.slice(0, 0, 1)));
  ASSERT_TRUE(by_itself) << by_itself.error().message();
  EXPECT_EQ(only_gradient(*by_itself).abs().max().item<float>(), 0);
  EXPECT_TRUE(clipper.clip(losses(x.slice(0, 1))));
}

// The gradient of the first example overflows on its way back, and all that is kept is finite.
TEST(ClippedSum, AnExampleThatOverflowsOnTheSlowWayAddsNothing) {
  at::manual_seed(6);
  const at::Tensor scale = parameter({16});
  const at::Tensor weight = parameter({4, 16});
  const auto losses = [&](const at::Tensor& x, const at::Tensor& weights) {
    return at::linear(x / (scale + 3), weight).square().sum(1) * weights;
  };
  const at::Tensor x = at::randn({4, 16}) * 1e3;
  const at::Tensor weights = at::tensor({1e38F, 1.0F, 2.0F, 3.0F});
  Clipper clipper = clipper_for({scale, weight}, {.bound = 1});
  const auto without = clipper.clip(losses(x.slice(0, 1), weights.slice(0, 1)));
  const auto with = clipper.clip(losses(x, weights));
  ASSERT_TRUE(without) << without.error().message();
  ASSERT_TRUE(with) << with.error().message();
  for (std::size_t p = 0; p < 2; ++p) {
    EXPECT_TRUE(at::allclose(ClippedSumForTests::gradients(*with)[p],
                             ClippedSumForTests::gradients(*without)[p], 1e-4, 1e-6));
  }
}

TEST(ClippedSum, PhysicalBatchesAddUpToTheLogicalOne) {
  at::manual_seed(4);
  const at::Tensor weight = parameter({8, 16});
  const at::Tensor x = at::randn({9, 16});
  Clipper clipper = clipper_for({weight}, {.bound = 1});
  const auto whole = clipper.clip(linear_losses(x, weight));
  auto parts = clipper.nothing();
  for (const auto& part : x.split(4)) {
    auto sum = clipper.clip(linear_losses(part, weight));
    ASSERT_TRUE(sum);
    ASSERT_TRUE(parts.add(*std::move(sum)));
  }
  EXPECT_TRUE(at::allclose(only_gradient(parts).to(at::kFloat), only_gradient(*whole), 1e-5, 1e-6));
}

// Assumption A of proof.md, on a batch whose gradients nearly all point the same way.
TEST(ClippedSum, SinglePrecisionKeepsToTheErrorThatIsPaidFor) {
  at::manual_seed(5);
  const at::Tensor weight = parameter({64, 256});
  const at::Tensor exact = weight.detach().to(at::kDouble).set_requires_grad(true);
  const at::Tensor x = at::randn({512, 256}) * 0.1 + 1;
  const auto computed = clipper_for({weight}, {.bound = 1}).clip(linear_losses(x, weight));
  const auto truth =
      clipper_for({exact}, {.bound = 1}).clip(linear_losses(x.to(at::kDouble), exact));
  ASSERT_TRUE(computed && truth);
  EXPECT_GT(only_gradient(*truth).norm().item<double>(), 400);
  const double error = (only_gradient(*computed) - only_gradient(*truth)).norm().item<double>();
  EXPECT_LT(error, 1.0 / 256);
}

TEST(ClippedSum, NoExamplesAddNothing) {
  const at::Tensor weight = parameter({8, 16});
  Clipper clipper = clipper_for({weight}, {.bound = 1});
  const auto sum = clipper.clip(linear_losses(at::zeros({0, 16}), weight));
  ASSERT_TRUE(sum);
  EXPECT_EQ(only_gradient(*sum).abs().max().item<float>(), 0);
}

TEST(ClippedSum, RefusesBatchNormalization) {
  const at::Tensor weight = parameter({3});
  const at::Tensor bias = parameter({3});
  const auto losses = [&](bool training) {
    return at::batch_norm(at::randn({4, 3, 2, 2}), weight, bias, at::zeros({3}), at::ones({3}),
                          training, 0.1, 1e-5, false)
        .flatten(1)
        .square()
        .sum(1);
  };
  Clipper clipper = clipper_for({weight, bias}, {.bound = 1});
  const auto refused = clipper.clip(losses(true));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("batch normalization"));
  EXPECT_TRUE(clipper.clip(losses(false)));
}

TEST(ClippedSum, RefusesHalfPrecision) {
  const at::Tensor weight = parameter({2, 3});
  Clipper clipper = clipper_for({weight}, {});
  const at::Tensor narrow = weight.to(at::kBFloat16);
  const at::Tensor losses = linear_losses(at::randn({4, 3}, at::kBFloat16), narrow);
  const auto sum = clipper.clip(losses.to(at::kFloat));
  ASSERT_FALSE(sum);
  EXPECT_THAT(sum.error().message(), HasSubstr("mixed_precision"));
  EXPECT_FALSE(clipper.clip(losses));
}

TEST(ClippedSum, RefusesProductsOfReducedPrecision) {
  const at::Tensor weight = parameter({2, 3});
  Clipper clipper = clipper_for({weight}, {});
  at::globalContext().setFloat32MatmulPrecision("medium");
  const auto reduced = clipper.clip(linear_losses(at::randn({4, 3}), weight));
  at::globalContext().setFloat32MatmulPrecision("highest");
  ASSERT_FALSE(reduced);
  EXPECT_THAT(reduced.error().message(), HasSubstr("'highest'"));
  EXPECT_TRUE(clipper.clip(linear_losses(at::randn({4, 3}), weight)));
}

// exp overflows for the second example: zero times infinity, in its rows, is no sign of mixing.
TEST(ClippedSum, OneThatIsNotFiniteDoesNotHideWhoseRowsAreWhose) {
  const at::Tensor weight = at::ones({1, 1}).set_requires_grad(true);
  Clipper clipper = clipper_for({weight}, {});
  const at::Tensor x = at::tensor({0.5F, 1000.0F, 0.25F, 0.1F}).view({4, 1});
  const auto sum = clipper.clip(at::linear(x, weight).exp().sum(1));
  ASSERT_TRUE(sum) << sum.error().message();
  EXPECT_TRUE(only_gradient(*sum).isfinite().all().item<bool>());
}

TEST(ClippedSum, RefusesLossesThatMixExamples) {
  const at::Tensor weight = parameter({8, 16});
  Clipper clipper = clipper_for({weight}, {.bound = 1});
  const at::Tensor out = at::linear(at::randn({4, 16}), weight);
  const auto refused = clipper.clip((out - out.mean(0)).square().sum(1));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("depends on the rows of another"));
  EXPECT_EQ(refused.error().where, "MmBackward0");
}

TEST(ClippedSum, RefusesWhatHasNoMeaning) {
  const at::Tensor weight = parameter({8, 16});
  EXPECT_FALSE(Clipper::create({weight}, {.bound = 0}));
  EXPECT_FALSE(Clipper::create({weight}, {.bound = std::nan("")}));
  EXPECT_FALSE(Clipper::create({weight}, {.bound = 1e-20}));
  EXPECT_FALSE(Clipper::create({weight}, {.bound = 1e20}));
  EXPECT_FALSE(Clipper::create({}, {.bound = 1}));
  EXPECT_FALSE(Clipper::create({at::randn({3})}, {.bound = 1}));
  EXPECT_FALSE(Clipper::create({at::randn({3}).to(at::kHalf).set_requires_grad(true)}, {}));
  Clipper clipper = clipper_for({weight}, {.bound = 1});
  EXPECT_FALSE(clipper.clip(linear_losses(at::randn({4, 16}), weight).sum()));
  EXPECT_FALSE(clipper.clip(at::zeros({4})));
}

TEST(ClippedSum, NamesWhatGoesTheSlowWay) {
  const at::Tensor weight = parameter({16});
  Clipper clipper = clipper_for({weight}, {.bound = 1});
  ASSERT_TRUE(clipper.clip((at::randn({4, 16}) / weight).square().sum(1)));
  EXPECT_THAT(clipper.slow(), ::testing::ElementsAre("parameter 0 in DivBackward0"));
}

}  // namespace
}  // namespace tacit::train
