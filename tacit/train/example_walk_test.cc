#include "tacit/train/example_walk_internal.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/custom_function.h>

#include <vector>

#include "tacit/train/testing/loop_over_examples.h"

namespace tacit::train {
namespace {

// Walks the examples of a model, in parts that are put together again, and counts them.
std::vector<at::Tensor> walked(const Model& model, int& parts) {
  std::vector<std::vector<at::Tensor>> rows(model.parameters.size());
  parts = 0;
  walk_examples(model.losses(), model.parameters, [&](const std::vector<at::Tensor>& gradients) {
    ++parts;
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(gradients[i]);
  });
  std::vector<at::Tensor> all;
  for (const auto& r : rows) all.push_back(at::cat(r));
  return all;
}

void expect_the_gradients_of(const Model& model, int expected_parts) {
  int parts = 0;
  const auto found = walked(model, parts);
  const auto expected = one_by_one(model);
  EXPECT_EQ(parts, expected_parts);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(at::allclose(found[i], expected[i], 1e-9, 1e-12)) << model.name << i;
  }
}

// Operations of many kinds on the way back: products, convolutions, softmax, normalization, slices.
Model many_operations(std::int64_t examples) {
  const auto w = parameter({4, 3, 2});
  const auto scale = parameter({4});
  const auto head = parameter({5, 12});
  const auto x = at::randn({examples, 3, 4}, at::kDouble);
  return {"many_operations", {w, scale, head}, [=] {
            const at::Tensor kernel = w / at::sqrt(w.square().sum({1, 2}, true));
            const at::Tensor hidden = at::conv1d(x, kernel) * at::exp(scale).view({4, 1});
            const at::Tensor normal = at::layer_norm(hidden, {3});
            const at::Tensor mixed = at::softmax(at::bmm(normal, normal.transpose(1, 2)), -1);
            const at::Tensor out = at::linear(at::bmm(mixed, normal).flatten(1), head);
            return energies(at::cat({out.slice(1, 0, 2), out.slice(1, 3)}, 1).cumsum(1));
          }};
}

TEST(ExampleWalk, GivesTheGradientsOfSingleExamplesInOnePass) {
  at::manual_seed(1);
  expect_the_gradients_of(many_operations(7), 1);
  expect_the_gradients_of(many_operations(1), 1);
}

TEST(ExampleWalk, TakesAsManyAtOnceAsMemoryAllows) {
  at::manual_seed(2);
  const auto scale = parameter({1 << 19});
  const auto x = at::randn({5, 2}, at::kDouble);
  const Model model{"wide", {scale}, [=] {
                      const at::Tensor small = at::sin(scale).slice(0, 0, 2);
                      return energies(at::tanh(x * small));
                    }};
  EXPECT_EQ(walked_at_once(model.losses(), model.parameters), 2);
  expect_the_gradients_of(model, 3);
}

// A function of somebody else's that looks at its numbers, which no batch can do.
struct Looking : torch::autograd::Function<Looking> {
  static at::Tensor forward(torch::autograd::AutogradContext* /*context*/, const at::Tensor& x) {
    return x * 2;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* /*context*/,
                                                 const torch::autograd::variable_list& gradients) {
    const double largest = gradients.front().abs().max().item<double>();
    return {gradients.front() * (largest > 0 ? 2 : 0)};
  }
};

TEST(ExampleWalk, GoesOneByOneWhereAnOperationCannotBeBatched) {
  at::manual_seed(3);
  const auto scale = parameter({3});
  const auto x = at::randn({4, 3}, at::kDouble);
  expect_the_gradients_of(
      {"looking", {scale}, [=] { return energies(Looking::apply(at::sin(x / (scale + 3)))); }}, 1);
}

// A parameter that no loss depends on has no gradient.
TEST(ExampleWalk, GivesZerosWhereNothingIsReached) {
  const auto scale = parameter({3});
  const auto other = parameter({2});
  const auto x = at::randn({4, 3}, at::kDouble);
  int parts = 0;
  const auto found = walked({"", {scale, other}, [=] { return energies(x / (scale + 3)); }}, parts);
  EXPECT_EQ(found[1].size(0), 4);
  EXPECT_EQ(found[1].abs().max().item<double>(), 0);
}

}  // namespace
}  // namespace tacit::train
