#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tacit/train/testing/loop_over_examples.h"

namespace tacit::train {
namespace {

// How a convolution is laid over space, one number for each of its dimensions.
struct Convolution {
  std::string name;
  std::vector<std::int64_t> space;
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> stride;
  std::vector<std::int64_t> padding;
  std::vector<std::int64_t> dilation;
  std::vector<std::int64_t> output_padding;
  bool transposed = false;
  std::int64_t groups = 1;
  std::string padding_mode = "constant";
  bool fast = true;
};

std::vector<std::int64_t> joined(std::vector<std::int64_t> front,
                                 const std::vector<std::int64_t>& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

Model model_of(const Convolution& kind, at::ScalarType type) {
  constexpr std::int64_t kExamples = 4;
  constexpr std::int64_t kIn = 4;
  constexpr std::int64_t kOut = 6;
  const auto w =
      parameter(joined(kind.transposed ? std::vector<std::int64_t>{kIn, kOut / kind.groups}
                                       : std::vector<std::int64_t>{kOut, kIn / kind.groups},
                       kind.kernel),
                type);
  const auto b = parameter({kOut}, type);
  const auto x = at::randn(joined({kExamples, kIn}, kind.space), type);
  return {kind.name,
          {w, b},
          [=] {
            at::Tensor input = x;
            std::vector<std::int64_t> padding = kind.padding;
            if (kind.padding_mode != "constant") {
              std::vector<std::int64_t> sides;
              for (auto side = padding.rbegin(); side != padding.rend(); ++side) {
                sides.insert(sides.end(), 2, *side);
              }
              input = at::pad(input, sides, kind.padding_mode);
              padding.assign(padding.size(), 0);
            }
            return energies(
                at::tanh(at::convolution(input, w, b, kind.stride, padding, kind.dilation,
                                         kind.transposed, kind.output_padding, kind.groups)));
          },
          kind.fast};
}

std::vector<Convolution> convolutions() {
  return {
      {"DilatedLine", {11}, {3}, {2}, {2}, {2}, {0}, false, 2},
      {"TransposedLine", {5}, {3}, {2}, {1}, {1}, {1}, true, 2},
      {"TransposedLinePaddedByAStride", {5}, {3}, {1}, {1}, {2}, {1}, true, 2, "constant", false},
      {"CircularImage", {5, 6}, {3, 2}, {1, 2}, {1, 1}, {1, 1}, {0, 0}, false, 1, "circular"},
      {"ReflectedImage", {5, 6}, {3, 2}, {1, 2}, {1, 1}, {1, 1}, {0, 0}, false, 2, "reflect"},
      {"LargeImage", {13, 12}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {0, 0}},
      {"LargeStridedImage", {27, 26}, {3, 3}, {2, 2}, {2, 1}, {2, 1}, {0, 0}},
      {"SmallStridedImage", {3, 3}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {0, 0}},
      {"TransposedImage", {4, 3}, {3, 2}, {2, 2}, {1, 0}, {1, 2}, {1, 0}, true, 2},
      {"Volume", {4, 5, 3}, {2, 3, 2}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {0, 0, 0}},
      {"DilatedVolume", {6, 5, 4}, {2, 3, 2}, {2, 1, 2}, {1, 2, 0}, {2, 1, 1}, {0, 0, 0}, false, 2},
      {"TransposedVolume",
       {3, 2, 3},
       {2, 3, 2},
       {2, 1, 2},
       {1, 1, 0},
       {1, 1, 2},
       {1, 0, 1},
       true,
       2},
  };
}

// Bags of 0 to 4 vectors, one an example; or two, where their number is twice that of examples.
Model embedding_bag(std::string name, at::ScalarType type, std::int64_t mode, bool weighted,
                    std::int64_t padding, std::int64_t bags_each) {
  const auto table = parameter({7, 3}, type);
  const auto indices = at::randint(0, 7, {14}, at::kLong);
  const auto offsets = at::tensor({0, 3, 3, 7, 9, 10}, at::kLong);
  const auto weights = weighted ? at::randn({14}, type) : at::Tensor();
  const bool fast = mode < 2;
  return {std::move(name),
          {table},
          [=] {
            const at::Tensor bags = std::get<0>(at::embedding_bag(
                table, indices, offsets, false, mode, false, weights, false, padding));
            return energies(at::sin(bags).view({6 / bags_each, -1}));
          },
          fast};
}

Model instance_norm(at::ScalarType type) {
  const auto w = parameter({3}, type);
  const auto b = parameter({3}, type);
  const auto x = at::randn({4, 3, 5}, type);
  return {"InstanceNorm", {w, b}, [=] {
            return energies(at::tanh(at::instance_norm(x, w, b, {}, {}, true, 0.1, 1e-5, false)));
          }};
}

Model rms_norm(at::ScalarType type) {
  const auto w = parameter({6}, type);
  const auto x = at::randn({4, 5, 6}, type);
  return {"RmsNorm", {w}, [=] { return energies(at::tanh(at::rms_norm(x, {6}, w))); }};
}

// Queries from one sequence, keys and values from another, in several heads, time first.
Model multihead_attention(at::ScalarType type) {
  const auto query = parameter({8, 8}, type);
  const auto keys = parameter({16, 8}, type);
  const auto bias = parameter({16}, type);
  const auto out = parameter({8, 8}, type);
  const auto out_bias = parameter({8}, type);
  const auto x = at::randn({5, 3, 8}, type);
  const auto y = at::randn({4, 3, 8}, type);
  return {"MultiheadAttention", {query, keys, bias, out, out_bias}, [=] {
            const auto heads = [](const at::Tensor& t) {
              return t.reshape({t.size(0), 6, 4}).transpose(0, 1);
            };
            const auto parts = at::linear(y, keys, bias).chunk(2, 2);
            const at::Tensor scores = at::softmax(
                at::bmm(heads(at::linear(x, query)), heads(parts[0]).transpose(1, 2)), -1);
            const at::Tensor mixed = at::bmm(scores, heads(parts[1])).transpose(0, 1);
            return energies(
                at::tanh(at::linear(mixed.reshape({5, 3, 8}), out, out_bias)).transpose(0, 1));
          }};
}

Model causal_attention(at::ScalarType type) {
  const auto w = parameter({12, 4}, type);
  const auto x = at::randn({3, 6, 4}, type);
  return {"CausalAttention", {w}, [=] {
            const auto parts = at::linear(x, w).view({3, 6, 2, 6}).transpose(1, 2).chunk(3, 3);
            return energies(
                at::scaled_dot_product_attention(parts[0], parts[1], parts[2], {}, 0.0, true));
          }};
}

// A vector put in front of every sequence.
Model class_token(at::ScalarType type) {
  const auto token = parameter({1, 1, 4}, type);
  const auto repeated = parameter({2, 4}, type);
  const auto w = parameter({5, 4}, type);
  const auto x = at::randn({6, 3, 4}, type);
  return {"ClassToken", {token, repeated, w}, [=] {
            const at::Tensor sequence =
                at::cat({token.expand({6, 1, 4}), repeated.repeat({6, 1, 1}), x}, 1);
            return energies(at::tanh(at::linear(sequence, w)));
          }};
}

// A frozen map, and one of low rank beside it that learns.
Model low_rank_adapter(at::ScalarType type) {
  const at::Tensor frozen = at::randn({5, 6}, type);
  const auto down = parameter({2, 6}, type);
  const auto up = parameter({5, 2}, type);
  const auto x = at::randn({4, 3, 6}, type);
  return {"LowRankAdapter", {down, up}, [=] {
            return energies(
                at::tanh(at::linear(x, frozen) + at::linear(at::linear(x, down), up) * 0.5));
          }};
}

Model shared_layer(at::ScalarType type) {
  const auto w = parameter({5, 5}, type);
  const auto b = parameter({5}, type);
  const auto x = at::randn({4, 3, 5}, type);
  return {"SharedLayer", {w, b}, [=] {
            return energies(at::linear(at::tanh(at::linear(x, w, b)), w, b));
          }};
}

// Three views of each example, whose losses are averaged: the gradients of its views are averaged
// before the norm is taken.
Model augmented(at::ScalarType type) {
  const auto w = parameter({5, 2, 3, 3}, type);
  const auto b = parameter({5}, type);
  const auto head = parameter({4, 5}, type);
  const auto x = at::randn({12, 2, 5, 5}, type);
  return {"ThreeViewsOfEachExample", {w, b, head}, [=] {
            const at::Tensor features = at::tanh(at::conv2d(x, w, b)).mean({2, 3});
            return energies(at::linear(features, head)).view({4, 3}).mean(1);
          }};
}

std::vector<Model> models_in(at::ScalarType type) {
  std::vector<Model> all;
  for (const Convolution& kind : convolutions()) all.push_back(model_of(kind, type));
  all.push_back(embedding_bag("SumOfBag", type, 0, false, -1, 1));
  all.push_back(embedding_bag("MeanOfBag", type, 1, false, -1, 2));
  all.push_back(embedding_bag("PaddedSumOfBag", type, 0, false, 2, 1));
  all.push_back(embedding_bag("PaddedMeanOfBag", type, 1, false, 2, 1));
  all.push_back(embedding_bag("WeightedBag", type, 0, true, -1, 3));
  all.push_back(embedding_bag("LargestOfBag", type, 2, false, -1, 1));
  for (const auto make : {instance_norm, rms_norm, multihead_attention, causal_attention,
                          class_token, low_rank_adapter, shared_layer, augmented}) {
    all.push_back(make(type));
  }
  return all;
}

std::vector<Model> models() {
  at::manual_seed(9);
  std::vector<Model> all = models_in(at::kFloat);
  for (Model& model : models_in(at::kDouble)) {
    model.name += "InDouble";
    all.push_back(std::move(model));
  }
  return all;
}

class EveryLayer : public ::testing::TestWithParam<Model> {};

TEST_P(EveryLayer, AgreesWithALoopOverExamples) { expect_agreement(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Layers, EveryLayer, ::testing::ValuesIn(models()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace tacit::train
