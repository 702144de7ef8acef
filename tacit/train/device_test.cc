// What runs on a graphics processor, where there is one.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tacit/privacy/testing/permit_for_tests.h"
#include "tacit/train/device_norms_internal.h"
#include "tacit/train/private_sgd.h"
#include "tacit/train/testing/loop_over_examples.h"

namespace tacit::train {
namespace {

constexpr std::int64_t kExamples = 6;

at::TensorOptions there() { return at::TensorOptions(at::kCUDA).dtype(at::kFloat); }

at::Tensor weight(at::IntArrayRef shape) {
  return at::randn(shape, there()).mul_(0.3).set_requires_grad(true);
}

class Device : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!at::hasCUDA()) GTEST_SKIP() << "there is no CUDA device";
    at::globalContext().setAllowTF32CuBLAS(false);
    at::globalContext().setAllowTF32CuDNN(false);
    at::manual_seed(5);
  }
};

struct DeviceModel {
  std::string name;
  std::function<Model()> make;

  friend void PrintTo(const DeviceModel& model, std::ostream* out) { *out << model.name; }
};

Model linear(std::int64_t length) {
  const auto w1 = weight({7, 5});
  const auto b1 = weight({7});
  const auto w2 = weight({3, 7});
  const auto x = at::randn({kExamples, length, 5}, there());
  return {
      "", {w1, b1, w2}, [=] { return energies(at::linear(at::tanh(at::linear(x, w1, b1)), w2)); }};
}

Model convolution(std::int64_t channels, std::int64_t size, std::int64_t stride) {
  const auto w1 = weight({channels, 3, 3, 3});
  const auto b1 = weight({channels});
  const auto w2 = weight({2 * channels, channels, 3, 3});
  const auto gain = weight({channels});
  const auto shift = weight({channels});
  const auto x = at::randn({kExamples, 3, size, size}, there());
  return {"", {w1, b1, w2, gain, shift}, [=] {
            const at::Tensor first = at::conv2d(x, w1, b1, stride, 1);
            const at::Tensor normal = at::group_norm(first, 2, gain, shift);
            return energies(at::conv2d(at::tanh(normal), w2, {}, 1, 1));
          }};
}

Model attention() {
  const auto table = weight({11, 8});
  const auto gain = weight({8});
  const auto shift = weight({8});
  const auto qkv = weight({24, 8});
  const auto out = weight({8, 8});
  const auto text = at::randint(0, 11, {kExamples, 9}, there().dtype(at::kLong));
  return {"", {table, gain, shift, qkv, out}, [=] {
            const at::Tensor x = at::embedding(table, text);
            const auto parts = at::linear(at::layer_norm(x, {8}, gain, shift), qkv).chunk(3, -1);
            std::vector<at::Tensor> heads;
            for (const at::Tensor& part : parts) {
              heads.push_back(part.view({kExamples, 9, 2, 4}).transpose(1, 2));
            }
            const at::Tensor mixed =
                at::scaled_dot_product_attention(heads[0], heads[1], heads[2], {}, 0, true);
            return energies(x + at::linear(mixed.transpose(1, 2).reshape({kExamples, 9, 8}), out));
          }};
}

Model lstm(std::int64_t layers, bool bidirectional, bool batch_first, bool biases,
           std::int64_t hidden) {
  const std::int64_t directions = bidirectional ? 2 : 1;
  const auto below = weight({5, 3});
  std::vector<at::Tensor> weights;
  for (std::int64_t i = 0; i < layers * directions; ++i) {
    const std::int64_t in = i < directions ? 5 : directions * hidden;
    weights.push_back(weight({4 * hidden, in}));
    weights.push_back(weight({4 * hidden, hidden}));
    if (biases) weights.insert(weights.end(), {weight({4 * hidden}), weight({4 * hidden})});
  }
  std::vector<at::Tensor> parameters{below};
  parameters.insert(parameters.end(), weights.begin(), weights.end());
  const auto x = at::randn({kExamples, 4, 3}, there());
  const auto start = at::randn({layers * directions, kExamples, hidden}, there());
  return {"", parameters, [=] {
            at::Tensor input = at::linear(x, below);
            if (!batch_first) input = input.transpose(0, 1);
            auto [states, last, cell] = at::lstm(input, {start, start}, weights, biases, layers, 0,
                                                 true, bidirectional, batch_first);
            if (!batch_first) states = states.transpose(0, 1);
            return energies(states) + energies(last.transpose(0, 1)) +
                   energies(cell.transpose(0, 1));
          }};
}

// GRU and plain recurrences, and sequences of unlike length.
Model recurrence(std::int64_t gates, std::int64_t layers, bool bidirectional, bool packed) {
  constexpr std::int64_t kHidden = 5;
  const std::int64_t directions = bidirectional ? 2 : 1;
  const auto below = weight({4, 3});
  std::vector<at::Tensor> weights;
  for (std::int64_t i = 0; i < layers * directions; ++i) {
    const std::int64_t in = i < directions ? 4 : directions * kHidden;
    weights.push_back(weight({gates * kHidden, in}));
    weights.push_back(weight({gates * kHidden, kHidden}));
    weights.insert(weights.end(), {weight({gates * kHidden}), weight({gates * kHidden})});
  }
  std::vector<at::Tensor> parameters{below};
  parameters.insert(parameters.end(), weights.begin(), weights.end());
  const auto x = at::randn({kExamples, 5, 3}, there());
  const auto start = at::randn({layers * directions, kExamples, kHidden}, there());
  return {
      "", parameters, [=] {
        const at::Tensor input = at::linear(x, below);
        const auto lengths = at::tensor({5, 5, 3, 2, 2, 1}, at::kLong);
        if (packed) {
          const auto [data, sizes] = at::_pack_padded_sequence(input, lengths, true);
          const auto last = gates == 4 ? std::get<1>(at::lstm(data, sizes, {start, start}, weights,
                                                              true, layers, 0, true, bidirectional))
                                       : std::get<1>(at::gru(data, sizes, start, weights, true,
                                                             layers, 0, true, bidirectional));
          return energies(last.transpose(0, 1));
        }
        const auto [states, last] =
            gates == 3
                ? at::gru(input, start, weights, true, layers, 0, true, bidirectional, true)
                : at::rnn_tanh(input, start, weights, true, layers, 0, true, bidirectional, true);
        return energies(states) + energies(last.transpose(0, 1));
      }};
}

class DeviceAgrees : public Device, public ::testing::WithParamInterface<DeviceModel> {};

TEST_P(DeviceAgrees, WithALoopOverExamples) { expect_agreement(GetParam().make()); }

INSTANTIATE_TEST_SUITE_P(
    Models, DeviceAgrees,
    ::testing::Values(DeviceModel{"Linear", [] { return linear(1); }},
                      DeviceModel{"ShortRows", [] { return linear(2); }},
                      DeviceModel{"LongRows", [] { return linear(300); }},
                      DeviceModel{"LargeImages", [] { return convolution(4, 12, 1); }},
                      DeviceModel{"SmallImages", [] { return convolution(32, 4, 1); }},
                      DeviceModel{"Strides", [] { return convolution(4, 9, 2); }},
                      DeviceModel{"Attention", attention},
                      DeviceModel{"Lstm", [] { return lstm(1, false, true, true, 4); }},
                      DeviceModel{"LstmWithoutBiases",
                                  [] { return lstm(1, false, true, false, 4); }},
                      DeviceModel{"WideLstm", [] { return lstm(1, false, true, true, 200); }},
                      DeviceModel{"WidestLstm", [] { return lstm(1, false, true, true, 300); }},
                      DeviceModel{"TimeFirst", [] { return lstm(1, false, false, true, 4); }},
                      DeviceModel{"BothDirections", [] { return lstm(1, true, true, true, 5); }},
                      DeviceModel{"Stacked", [] { return lstm(3, true, true, true, 5); }},
                      DeviceModel{"Gru", [] { return recurrence(3, 1, false, false); }},
                      DeviceModel{"StackedGru", [] { return recurrence(3, 2, true, false); }},
                      DeviceModel{"Rnn", [] { return recurrence(1, 2, true, false); }},
                      DeviceModel{"PackedGru", [] { return recurrence(3, 1, true, true); }},
                      DeviceModel{"PackedLstm", [] { return recurrence(4, 2, true, true); }}),
    [](const auto& tested) { return tested.param.name; });

TEST_F(Device, AddsUpRowsInDoublePrecision) {
  for (const auto& [rows, length] : {std::pair<std::int64_t, std::int64_t>{3, 5},
                                     {700, 64},
                                     {2, 1 << 20},
                                     {5, 100'003},
                                     {1, 1}}) {
    const at::Tensor left = at::randn({rows, length}, there());
    const at::Tensor right = at::randn({rows, length}, there());
    const auto dots = row_dots_on_device(left, right);
    ASSERT_TRUE(dots);
    const at::Tensor truth = (left.to(at::kDouble) * right.to(at::kDouble)).sum(1);
    EXPECT_TRUE(at::allclose(*dots, truth, 1e-12, 1e-9)) << rows << " " << length;
  }
}

// Squares that single precision has not.
TEST_F(Device, LosesNoSmallNumbers) {
  const at::Tensor small = at::full({2, 3}, 1e-30, there());
  const auto squares = row_dots_on_device(small, small);
  ASSERT_TRUE(squares);
  EXPECT_GT(squares->min().item<double>(), 2.9e-60);
}

// A whole step: what is released has the mean of the clipped gradients and the noise's deviation.
TEST_F(Device, TakesAPrivateStep) {
  constexpr std::int64_t kWidth = 400;
  const auto w = at::zeros({kWidth, kWidth}, there()).set_requires_grad(true);
  const at::Tensor x = at::ones({kExamples, kWidth}, there());
  const PrivateSgdPlan plan{.examples = kExamples,
                            .sampling_rate = 1,
                            .steps = 2,
                            .noise_multiplier = 2,
                            .clipping = {.bound = 3}};
  auto run = PrivateSgd::begin(plan, {w}, PermitForTests::mint(*plan.cost()));
  ASSERT_TRUE(run) << run.error().message();
  for (int step = 0; step < 2; ++step) {
    ASSERT_TRUE(run->draw());
    const auto added = run->add(at::linear(x, w).sum(1) * 1000);
    ASSERT_TRUE(added) << added.error().message();
    const auto finished = run->finish_step();
    ASSERT_TRUE(finished) << finished.error().message();
    const at::Tensor noisy = w.grad().to(at::kDouble) * kExamples;
    // 160,000 numbers: their mean lies within 6 standard errors of 3 * 6 / 400 in all but one run
    // of 10^9, and so does their deviation.
    constexpr double kNoise = 6 * 1.008;
    EXPECT_NEAR(noisy.mean().item<double>(), 3.0 * kExamples / kWidth, 6.5 * kNoise / kWidth);
    EXPECT_NEAR(noisy.std().item<double>(), kNoise, 6.5 * kNoise / (kWidth * std::sqrt(2)) + 0.01);
  }
}

// Zero times infinity is not zero.
TEST_F(Device, LeavesOutExamplesThatAreNotFinite) {
  const auto w = weight({5, 4});
  at::Tensor x = at::randn({kExamples, 4}, there());
  x[2].fill_(INFINITY);
  auto clipper = Clipper::create({w}, {.bound = 1});
  ASSERT_TRUE(clipper);
  const auto sum = clipper->clip(at::linear(x, w).square().sum(1));
  ASSERT_TRUE(sum) << sum.error().message();
}

}  // namespace
}  // namespace tacit::train
