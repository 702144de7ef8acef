#include "tacit/train/mixed_precision.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacit/train/autocast.h"
#include "tacit/train/clip_factors_internal.h"
#include "tacit/train/clipped_sum.h"
#include "tacit/train/per_example_internal.h"
#include "tacit/train/testing/clipped_sum_for_tests.h"
#include "tacit/train/testing/loop_over_examples.h"

namespace tacit::train {
namespace {

using ::testing::HasSubstr;

constexpr MixedPrecision kMixed{};

// While it lives, libtorch's own kernels are used: oneDNN's products in half precision need
// instructions that some virtual machines announce and do not have.
class WithoutMkldnn {
 public:
  WithoutMkldnn() { at::globalContext().setUserEnabledMkldnn(false); }
  WithoutMkldnn(const WithoutMkldnn&) = delete;
  WithoutMkldnn& operator=(const WithoutMkldnn&) = delete;
  ~WithoutMkldnn() { at::globalContext().setUserEnabledMkldnn(true); }
};

// The model, its forward pass in half precision.
Model autocast(Model model, at::ScalarType type) {
  model.losses = [losses = std::move(model.losses), type] {
    const Autocast in_half(at::kCPU, type);
    return losses();
  };
  return model;
}

at::Tensor in_single(const at::Tensor& values) { return values.to(at::kFloat); }

Model linear_maps() {
  const auto first = parameter({8, 6}, at::kFloat);
  const auto bias = parameter({8}, at::kFloat);
  const auto second = parameter({5, 8}, at::kFloat);
  const auto x = at::randn({7, 4, 6});
  return {"LinearMaps", {first, bias, second}, [=] {
            return energies(in_single(at::linear(at::tanh(at::linear(x, first, bias)), second)));
          }};
}

Model convolutions() {
  const auto line = parameter({6, 3, 3}, at::kFloat);
  const auto bias = parameter({6}, at::kFloat);
  const auto image = parameter({4, 2, 3, 3}, at::kFloat);
  const auto x = at::randn({5, 3, 9});
  return {"Convolutions", {line, bias, image}, [=] {
            const at::Tensor one = at::tanh(at::conv1d(x, line, bias));
            return energies(in_single(at::conv2d(one.reshape({5, 2, 3, 7}), image)));
          }};
}

Model volume() {
  const auto w = parameter({4, 2, 2, 2, 2}, at::kFloat);
  const auto x = at::randn({4, 2, 3, 4, 3});
  return {"Volume", {w}, [=] { return energies(in_single(at::conv3d(x, w))); }};
}

Model embedding() {
  const auto table = parameter({9, 4}, at::kFloat);
  const auto positions = parameter({3, 4}, at::kFloat);
  const auto w = parameter({4, 4}, at::kFloat);
  const auto indices = at::randint(0, 9, {5, 3}, at::kLong);
  return {"Embedding", {table, positions, w}, [=] {
            const at::Tensor vectors =
                at::embedding(table.to(at::kBFloat16), indices) + positions.to(at::kBFloat16);
            return energies(in_single(at::linear(vectors, w)));
          }};
}

Model normalizations() {
  const auto w = parameter({6, 6}, at::kFloat);
  const auto scale = parameter({6}, at::kFloat);
  const auto shift = parameter({6}, at::kFloat);
  const auto group_scale = parameter({4}, at::kFloat);
  const auto group_shift = parameter({4}, at::kFloat);
  const auto x = at::randn({5, 4, 6});
  return {"Normalizations", {w, scale, shift, group_scale, group_shift}, [=] {
            const at::Tensor rows = at::layer_norm(at::linear(x, w), {6}, scale, shift);
            const at::Tensor again = at::linear(rows, w);
            return energies(in_single(at::group_norm(again, 2, group_scale, group_shift)));
          }};
}

Model attention() {
  const auto w = parameter({12, 4}, at::kFloat);
  const auto out = parameter({4, 4}, at::kFloat);
  const auto x = at::randn({3, 6, 4});
  return {"Attention", {w, out}, [=] {
            const auto parts = at::linear(x, w).view({3, 6, 2, 6}).transpose(1, 2).chunk(3, 3);
            const at::Tensor mixed =
                at::scaled_dot_product_attention(parts[0], parts[1], parts[2], {}, 0.0, true);
            return energies(in_single(at::linear(mixed.transpose(1, 2).flatten(2), out)));
          }};
}

Model recurrence() {
  const std::vector<at::Tensor> weights{parameter({12, 4}, at::kFloat),
                                        parameter({12, 3}, at::kFloat), parameter({12}, at::kFloat),
                                        parameter({12}, at::kFloat)};
  const auto x = at::randn({4, 5, 4});
  return {"Recurrence", weights, [=] {
            const auto zeros = at::zeros({1, 4, 3});
            const auto states =
                std::get<0>(at::lstm(x, {zeros, zeros}, weights, true, 1, 0, false, false, true));
            return energies(in_single(states));
          }};
}

// A weight that is computed goes the slow way.
Model computed_weight() {
  const auto w = parameter({5, 6}, at::kFloat);
  const auto last = parameter({3, 5}, at::kFloat);
  const auto x = at::randn({4, 2, 6});
  return {"ComputedWeight",
          {w, last},
          [=] {
            const at::Tensor hidden = at::tanh(at::linear(x, at::tanh(w)));
            return energies(in_single(at::linear(hidden, last)));
          },
          false};
}

std::vector<Model> models() {
  at::manual_seed(3);
  std::vector<Model> all;
  for (const auto make : {linear_maps, convolutions, volume, embedding, normalizations, attention,
                          recurrence, computed_weight}) {
    all.push_back(autocast(make(), at::kBFloat16));
  }
  return all;
}

class EveryLayerInHalfPrecision : public ::testing::TestWithParam<Model> {
 private:
  WithoutMkldnn own_kernels_;
};

TEST_P(EveryLayerInHalfPrecision, AgreesWithALoopOverExamples) {
  expect_agreement(GetParam(), kMixed);
}

// Whatever rounding does: the sum of one example, in double precision, keeps to the bound and comes
// close to it.
TEST_P(EveryLayerInHalfPrecision, NoExampleAddsMoreThanTheBound) {
  const Model& model = GetParam();
  const at::Tensor losses = model.losses();
  for (std::int64_t i = 0; i < losses.size(0); ++i) {
    auto clipper = Clipper::create(model.parameters, {.bound = 0.01}, kMixed);
    ASSERT_TRUE(clipper);
    const at::Tensor others = at::arange(losses.size(0)).ne(i);
    const auto sum = clipper->clip(model.losses(), others);
    ASSERT_TRUE(sum) << sum.error().message();
    double square = 0;
    for (const at::Tensor& part : ClippedSumForTests::gradients(*sum)) {
      EXPECT_EQ(part.scalar_type(), at::kFloat);
      square += part.to(at::kDouble).square().sum().item<double>();
    }
    EXPECT_LE(std::sqrt(square), 0.01);
    EXPECT_GT(std::sqrt(square), 0.01 * (1 - 0x1p-6));
  }
}

TEST_P(EveryLayerInHalfPrecision, IsRefusedWhereItIsNotAllowed) {
  auto clipper = Clipper::create(GetParam().parameters, {.bound = 1});
  ASSERT_TRUE(clipper);
  const auto refused = clipper->clip(GetParam().losses());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("mixed_precision"));
}

INSTANTIATE_TEST_SUITE_P(Layers, EveryLayerInHalfPrecision, ::testing::ValuesIn(models()),
                         [](const auto& tested) { return tested.param.name; });

class MixedPrecisionOfAStep : public ::testing::Test {
 protected:
  struct Maps {
    at::Tensor first = parameter({8, 6}, at::kFloat);
    at::Tensor second = parameter({5, 8}, at::kFloat);
    [[nodiscard]] std::vector<at::Tensor> parameters() const { return {first, second}; }
    [[nodiscard]] at::Tensor hidden(const at::Tensor& x) const {
      return at::tanh(at::linear(x, first));
    }
    [[nodiscard]] at::Tensor losses(const at::Tensor& x, at::ScalarType type,
                                    double size = 1) const {
      const Autocast in_half(at::kCPU, type);
      return energies(in_single(at::linear(hidden(x), second))) * size;
    }
  };

  static std::vector<at::Tensor> clipped(const Maps& maps, const at::Tensor& losses,
                                         const MixedPrecision& how, double bound) {
    auto clipper = Clipper::create(maps.parameters(), {.bound = bound}, how);
    EXPECT_TRUE(clipper);
    const auto sum = clipper->clip(losses);
    EXPECT_TRUE(sum) << sum.error().message();
    return ClippedSumForTests::gradients(*sum);
  }

 private:
  WithoutMkldnn own_kernels_;
};

// Assumption D, on these kernels: rows are computed alike whatever the others hold.
TEST_F(MixedPrecisionOfAStep, RowsDoNotDependOnWhatOthersHold) {
  at::manual_seed(5);
  for (const at::ScalarType type : {at::kBFloat16, at::kHalf}) {
    const Maps maps;
    const at::Tensor x = at::randn({37, 11, 6});
    at::Tensor y = at::randn({37, 11, 6});
    y.slice(0, 5, 9).copy_(x.slice(0, 5, 9));
    const auto norms = [&](const at::Tensor& input) {
      KnownLayouts layouts;
      auto gradients = PerExampleGradients::of(maps.losses(input, type), maps.parameters(), layouts,
                                               MixedPrecision{});
      EXPECT_TRUE(gradients) << gradients.error().message();
      return upper_squares(gradients->squared_norms());
    };
    const at::Tensor one = norms(x);
    const at::Tensor other = norms(y);
    EXPECT_TRUE(at::equal(one.slice(1, 5, 9), other.slice(1, 5, 9)));
    EXPECT_FALSE(at::equal(one.slice(1, 0, 5), other.slice(1, 0, 5)));
  }
}

// Norms and sums must not be taken in half precision where the caller is still within autocast.
TEST_F(MixedPrecisionOfAStep, SumsInSinglePrecisionWithinAutocast) {
  const Maps maps;
  const at::Tensor x = at::randn({9, 3, 6});
  const auto outside = clipped(maps, maps.losses(x, at::kBFloat16), kMixed, 0.1);
  const Autocast in_half(at::kCPU, at::kBFloat16);
  const auto within = clipped(maps, maps.losses(x, at::kBFloat16), kMixed, 0.1);
  for (std::size_t p = 0; p < within.size(); ++p) EXPECT_TRUE(at::equal(within[p], outside[p]));
}

TEST_F(MixedPrecisionOfAStep, LossesOfNobodyAddNothingAndDoNotVote) {
  const Maps maps;
  at::Tensor x = at::randn({6, 3, 6});
  x[1].fill_(INFINITY);
  const at::Tensor nobodys = at::tensor({0, 1, 0, 1, 1, 0}).ne(0);
  const at::Tensor examples = at::tensor({0, 2, 5}, at::kLong);
  auto clipper = Clipper::create(maps.parameters(), {.bound = 100}, kMixed);
  ASSERT_TRUE(clipper);
  clipper->count_votes();
  const auto marked = clipper->clip(maps.losses(x, at::kBFloat16), nobodys);
  const auto alone = clipper->clip(maps.losses(x.index_select(0, examples), at::kBFloat16));
  ASSERT_TRUE(marked && alone);
  EXPECT_EQ(ClippedSumForTests::votes(*marked), ClippedSumForTests::votes(*alone));
  for (std::size_t p = 0; p < 2; ++p) {
    EXPECT_TRUE(at::allclose(ClippedSumForTests::gradients(*marked)[p],
                             ClippedSumForTests::gradients(*alone)[p], 1e-5, 1e-5));
  }
}

// Gradients of 2^-26 are nothing in float16, whose least number is 2^-24.
TEST_F(MixedPrecisionOfAStep, AScaleOfLossesKeepsSmallGradients) {
  const Maps maps;
  const at::Tensor x = at::randn({4, 1, 6});
  const double small = 0x1p-26;
  const auto truth = clipped(maps, maps.losses(x, at::kBFloat16, small), kMixed, 1e9);
  const auto scaled = clipped(maps, maps.losses(x, at::kHalf, small), {.loss_scale = 0x1p20}, 1e9);
  const auto lost = clipped(maps, maps.losses(x, at::kHalf, small), kMixed, 1e9);
  for (std::size_t p = 0; p < 2; ++p) {
    const double size = truth[p].abs().max().item<double>();
    EXPECT_GT(size, 0);
    EXPECT_TRUE(at::allclose(scaled[p], truth[p], 0, 0.05 * size));
    EXPECT_FALSE(at::allclose(lost[p], truth[p], 0, 0.05 * size));
  }
}

// An example whose gradients overflow adds nothing, and the others what they add.
TEST_F(MixedPrecisionOfAStep, AGradientThatOverflowsIsLeftOut) {
  const Maps maps;
  const at::Tensor x = at::randn({4, 1, 6});
  const at::Tensor sizes = at::tensor({1.0F, 1e9F, 1.0F, 1.0F});
  const auto overflowed = clipped(maps, maps.losses(x, at::kHalf) * sizes, kMixed, 1);
  auto clipper = Clipper::create(maps.parameters(), {.bound = 1}, kMixed);
  ASSERT_TRUE(clipper);
  const auto without = clipper->clip(maps.losses(x, at::kHalf), sizes.gt(1));
  ASSERT_TRUE(without);
  for (std::size_t p = 0; p < 2; ++p) {
    EXPECT_TRUE(overflowed[p].isfinite().all().item<bool>());
    EXPECT_TRUE(at::allclose(overflowed[p], ClippedSumForTests::gradients(*without)[p]));
  }
}

TEST_F(MixedPrecisionOfAStep, RefusesWhatHasNoMeaning) {
  for (const double scale : {0.0, -2.0, 3.0, 0.5, 0x1p25, HUGE_VAL, std::nan("")}) {
    EXPECT_FALSE(MixedPrecision{.loss_scale = scale}.check()) << scale;
  }
  EXPECT_TRUE(MixedPrecision{.loss_scale = 1024}.check());
  EXPECT_EQ(MixedPrecision{.loss_scale = 1024}.to_text(), "mixed, losses times 1024");
}

// Rows that data chooses are found with weights beyond the range of float16.
TEST_F(MixedPrecisionOfAStep, RefusesToLookForOwnersInFloat16) {
  const Maps maps;
  auto clipper = Clipper::create(maps.parameters(), {.bound = 1}, kMixed);
  ASSERT_TRUE(clipper);
  const auto losses = [&](at::ScalarType type) {
    const at::Tensor order = at::tensor({2, 0, 1}, at::kLong);
    const Autocast in_half(at::kCPU, type);
    const at::Tensor given = maps.hidden(at::ones({3, 6})).index_select(0, order);
    return energies(in_single(at::linear(given, maps.second)));
  };
  const auto refused = clipper->clip(losses(at::kHalf));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("bfloat16"));
  EXPECT_TRUE(clipper->clip(losses(at::kBFloat16)));
}

}  // namespace
}  // namespace tacit::train
