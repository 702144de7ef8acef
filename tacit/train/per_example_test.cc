#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tacit/train/per_example_internal.h"
#include "tacit/train/testing/loop_over_examples.h"

namespace tacit::train {
namespace {

at::Tensor cross_entropies(const at::Tensor& logits, const at::Tensor& labels) {
  return at::cross_entropy_loss(logits, labels, {}, at::Reduction::None);
}

Model two_layers() {
  const auto w1 = parameter({7, 5});
  const auto b1 = parameter({7});
  const auto w2 = parameter({3, 7});
  const auto b2 = parameter({3});
  const auto x = at::randn({6, 5}, at::kDouble);
  const auto y = at::randint(0, 3, {6}, at::kLong);
  return {"two_layers", {w1, b1, w2, b2}, [=] {
            return cross_entropies(at::linear(at::relu(at::linear(x, w1, b1)), w2, b2), y);
          }};
}

Model no_bias() {
  const auto w = parameter({4, 5});
  const auto x = at::randn({6, 5}, at::kDouble);
  return {"no_bias", {w}, [=] { return energies(at::tanh(at::linear(x, w))); }};
}

Model sequences(std::int64_t length, std::int64_t in, std::int64_t out) {
  const auto w = parameter({out, in});
  const auto b = parameter({out});
  const auto x = at::randn({4, length, in}, at::kDouble);
  return {"sequences_of_" + std::to_string(length), {w, b}, [=] {
            return energies(at::tanh(at::linear(x, w, b)));
          }};
}

Model time_first() {
  const auto w = parameter({6, 5});
  const auto b = parameter({6});
  const auto x = at::randn({7, 4, 5}, at::kDouble);
  return {"time_first", {w, b}, [=] {
            return energies(at::tanh(at::linear(x, w, b)).transpose(0, 1));
          }};
}

Model convolution(std::string name, at::IntArrayRef input, at::IntArrayRef weight,
                  std::vector<std::int64_t> stride, std::vector<std::int64_t> padding,
                  std::vector<std::int64_t> dilation, bool transposed, std::int64_t groups) {
  const auto w = parameter(weight);
  const auto b = parameter({transposed ? weight[1] * groups : weight[0]});
  const auto x = at::randn(input, at::kDouble);
  const std::vector<std::int64_t> none(stride.size(), 0);
  return {std::move(name), {w, b}, [=] {
            return energies(at::tanh(
                at::convolution(x, w, b, stride, padding, dilation, transposed, none, groups)));
          }};
}

Model embedding(std::int64_t padding) {
  const auto table = parameter({9, 4});
  const auto x = at::randint(0, 9, {5, 8}, at::kLong);
  return {padding < 0 ? "embedding" : "padded_embedding", {table}, [=] {
            return energies(at::tanh(at::embedding(table, x, padding)).cumsum(1));
          }};
}

Model layer_norm() {
  const auto w = parameter({6});
  const auto b = parameter({6});
  const auto x = at::randn({4, 5, 6}, at::kDouble);
  return {"layer_norm", {w, b}, [=] { return energies(at::tanh(at::layer_norm(x, {6}, w, b))); }};
}

Model group_norm() {
  const auto w = parameter({6});
  const auto b = parameter({6});
  const auto x = at::randn({4, 6, 3, 5}, at::kDouble);
  return {"group_norm", {w, b}, [=] { return energies(at::tanh(at::group_norm(x, 2, w, b))); }};
}

// The table goes in twice: its gradients add up before the norm is taken.
Model tied_weights() {
  const auto table = parameter({9, 4});
  const auto x = at::randint(0, 9, {5, 8}, at::kLong);
  const auto y = at::randint(0, 9, {5}, at::kLong);
  return {"tied_weights", {table}, [=] {
            const at::Tensor hidden = at::tanh(at::embedding(table, x));
            return cross_entropies(at::linear(hidden, table).mean(1), y);
          }};
}

Model attention() {
  const auto w = parameter({12, 4});
  const auto o = parameter({4, 4});
  const auto x = at::randn({3, 6, 4}, at::kDouble);
  return {"attention", {w, o}, [=] {
            const auto parts = at::linear(x, w).chunk(3, 2);
            const auto mixed = at::scaled_dot_product_attention(
                parts[0].unsqueeze(1), parts[1].unsqueeze(1), parts[2].unsqueeze(1));
            return energies(at::linear(mixed.squeeze(1), o));
          }};
}

Model unrolled_recurrence() {
  const auto in = parameter({6, 3});
  const auto recurrent = parameter({6, 6});
  const auto b = parameter({6});
  const auto x = at::randn({4, 5, 3}, at::kDouble);
  return {"unrolled_recurrence", {in, recurrent, b}, [=] {
            at::Tensor state = at::zeros({4, 6}, at::kDouble);
            for (std::int64_t t = 0; t < 5; ++t) {
              state = at::tanh(at::linear(x.select(1, t), in, b) + at::linear(state, recurrent));
            }
            return energies(state);
          }};
}

// Positions that are added to every sequence, and a scale for every number of a row.
Model bare_parameters() {
  const auto positions = parameter({1, 7, 5});
  const auto scale = parameter({5});
  const auto w = parameter({4, 5});
  const auto x = at::randn({6, 7, 5}, at::kDouble);
  return {"bare_parameters", {positions, scale, w}, [=] {
            return energies(at::linear(at::sin((x + positions) * scale), w));
          }};
}

// As GPT has them: one lookup for all examples. There are as many positions as to divide among the
// examples, or not.
Model shared_positions(const std::string& name, std::int64_t length, bool in_front) {
  const auto positions = parameter({9, 5});
  const auto words = parameter({11, 5});
  const auto w = parameter({4, 5});
  const auto text = at::randint(0, 11, {6, length}, at::kLong);
  at::Tensor places = at::arange(length, at::kLong) % 8;
  if (in_front) places = places.unsqueeze(0);
  return {name, {positions, words, w}, [=] {
            const at::Tensor x = at::embedding(words, text) + at::embedding(positions, places);
            return energies(at::linear(at::tanh(x), w));
          }};
}

// The vectors are used by themselves, too: what becomes of them there is nobody's.
Model shared_positions_with_a_sum() {
  const auto positions = parameter({7, 5});
  const auto x = at::randn({6, 7, 5}, at::kDouble);
  return {"shared_positions_with_a_sum",
          {positions},
          [=] {
            const at::Tensor looked_up = at::embedding(positions, at::arange(7, at::kLong));
            return energies(at::sin(x + looked_up)) * looked_up.square().sum();
          },
          false};
}

Model rms_norm() {
  const auto scale = parameter({5});
  const auto x = at::randn({6, 7, 5}, at::kDouble);
  return {"rms_norm", {scale}, [=] {
            return energies(at::tanh(x * at::rsqrt(x.square().mean(2, true) + 1e-5) * scale));
          }};
}

// A parameter that goes into an operation that is not known, beside one that does not.
Model unknown_operation() {
  const auto scale = parameter({5});
  const auto w = parameter({4, 5});
  const auto x = at::randn({6, 5}, at::kDouble);
  return {"unknown_operation",
          {scale, w},
          [=] { return energies(at::linear(at::sin(x / (scale + 3)), w)); },
          false};
}

std::vector<Model> models() {
  at::manual_seed(7);
  std::vector<Model> all{
      two_layers(),
      no_bias(),
      sequences(3, 9, 11),   // Gram matrices are cheaper
      sequences(9, 3, 4),    // gradients are
      sequences(60, 9, 11),  // and are worth keeping
      time_first(),
      convolution("convolution", {4, 3, 7, 6}, {5, 3, 3, 2}, {2, 1}, {1, 0}, {1, 2}, false, 1),
      convolution("convolution_by_one_number", {4, 3, 7, 6}, {5, 3, 3, 2}, {2}, {1}, {1}, false, 1),
      convolution("large_convolution", {4, 3, 4, 4}, {16, 3, 3, 3}, {1, 1}, {0, 0}, {1, 1}, false,
                  1),
      convolution("grouped_convolution", {4, 4, 7, 6}, {6, 2, 3, 3}, {1, 1}, {1, 1}, {1, 1}, false,
                  2),
      convolution("sequence_convolution", {4, 3, 9}, {5, 3, 4}, {2}, {1}, {1}, false, 1),
      convolution("transposed_convolution", {4, 3, 4, 5}, {3, 2, 3, 3}, {2, 2}, {1, 1}, {1, 1},
                  true, 1),
      convolution("convolution_of_many_channels", {3, 24, 4, 4}, {24, 24, 3, 3}, {1, 1}, {1, 1},
                  {1, 1}, false, 1),
      convolution("convolution_of_many_channels_by_two", {3, 24, 4, 3}, {24, 24, 3, 2}, {1, 1},
                  {1, 0}, {1, 1}, false, 1),
      convolution("sequence_convolution_of_many_channels", {3, 40, 6}, {40, 40, 2}, {1}, {1}, {2},
                  false, 1),
      convolution("transposed_convolution_of_many_channels", {3, 24, 4, 4}, {24, 24, 3, 3}, {1, 1},
                  {1, 1}, {1, 1}, true, 1),
      convolution("convolution_of_a_large_image", {4, 3, 9, 8}, {5, 3, 3, 3}, {1, 1}, {1, 1},
                  {1, 1}, false, 1),
      embedding(-1),
      embedding(2),
      layer_norm(),
      group_norm(),
      tied_weights(),
      attention(),
      unrolled_recurrence(),
      bare_parameters(),
      shared_positions("shared_positions", 7, false),
      shared_positions("as_many_positions_as_examples", 6, false),
      shared_positions("positions_that_examples_divide", 12, true),
      shared_positions_with_a_sum(),
      rms_norm(),
      unknown_operation(),
  };
  return all;
}

class EveryModel : public ::testing::TestWithParam<Model> {};

TEST_P(EveryModel, AgreesWithALoopOverExamples) { expect_agreement(GetParam()); }

// Power: a norm that adds up over two uses of one parameter is not the norm of the sum.
TEST(PerExample, TheNormOfASumIsNotTheSumOfNorms) {
  at::manual_seed(3);
  const Model model = tied_weights();
  const at::Tensor losses = model.losses();
  auto graph = find_uses(losses, model.parameters);
  ASSERT_TRUE(graph);
  bool certain = false;
  const auto layouts = find_layouts(losses, *graph, certain);
  ASSERT_TRUE(layouts);
  at::Tensor sum = at::zeros_like(losses).detach();
  int met = 0;
  visit_output_gradients(
      losses, at::ones_like(losses), *graph, false, [&](std::size_t i, const at::Tensor& gradient) {
        const auto& known = graph->operations[i];
        const auto use = known.operation->use(known.arguments[0].argument, gradient, (*layouts)[i]);
        sum = sum + computed_squares(use->squared_norms());
        ++met;
      });
  EXPECT_EQ(met, 2);
  EXPECT_FALSE(at::allclose(sum, one_by_one(model)[0].square().sum(1), 1e-3));
}

// A batch whose rows go to losses in an order that data chooses, and a linear map over some of
// them.
Model chosen_rows(const at::Tensor& w, const at::Tensor& x, const at::Tensor& order,
                  const at::Tensor& chosen) {
  return {
      "", {w}, [=] {
        const at::Tensor hidden = at::tanh(at::linear(x.index({chosen}), w));
        const at::Tensor placed =
            at::zeros({x.size(0), x.size(1), w.size(0)}, at::kDouble).index_put({chosen}, hidden);
        return energies(placed.index_select(0, order));
      }};
}

// Both batches have the same operations, shapes and rows for each example; only the order of the
// losses and the rows that are chosen differ. With the layout of the first, norms of the second
// would be given to other examples, and would not be theirs.
TEST(PerExample, ALayoutIsNotUsedForRowsThatDataChoseOtherwise) {
  at::manual_seed(4);
  const auto w = parameter({4, 3});
  const auto x = at::randn({4, 2, 3}, at::kDouble);
  const auto mask = [](const std::vector<std::int64_t>& rows) {
    return at::tensor(rows, at::kLong).view({4, 2}).to(at::kBool);
  };
  KnownLayouts layouts;
  for (const Model& batch :
       {chosen_rows(w, x, at::arange(4), mask({1, 0, 1, 0, 1, 0, 0, 1})),
        chosen_rows(w, x, at::tensor({2, 0, 3, 1}), mask({1, 0, 1, 0, 1, 0, 0, 1})),
        chosen_rows(w, x, at::arange(4), mask({1, 1, 1, 1, 0, 0, 0, 0}))}) {
    auto gradients = PerExampleGradients::of(batch.losses(), batch.parameters, layouts);
    ASSERT_TRUE(gradients) << gradients.error().message();
    EXPECT_TRUE(gradients->unknown().empty());
    EXPECT_TRUE(at::allclose(computed_squares(gradients->squared_norms().front()),
                             one_by_one(batch).front().square().sum(1), 1e-9, 1e-12));
  }
}

// As above, where the slices of a batch are put together in another order.
TEST(PerExample, ALayoutIsNotUsedForOtherSlices) {
  at::manual_seed(4);
  const auto w = parameter({4, 3});
  const auto x = at::randn({6, 3}, at::kDouble);
  KnownLayouts layouts;
  for (const std::int64_t first : {0, 2, 4}) {
    const Model batch{"", {w}, [=] {
                        const at::Tensor out = at::tanh(at::linear(x, w));
                        std::vector<at::Tensor> parts;
                        for (const std::int64_t i : {0, 2, 4}) {
                          const std::int64_t from = (first + i) % 6;
                          parts.push_back(out.slice(0, from, from + 2));
                        }
                        return energies(at::cat(parts));
                      }};
    auto gradients = PerExampleGradients::of(batch.losses(), batch.parameters, layouts);
    ASSERT_TRUE(gradients) << gradients.error().message();
    EXPECT_TRUE(at::allclose(computed_squares(gradients->squared_norms().front()),
                             one_by_one(batch).front().square().sum(1), 1e-9, 1e-12));
  }
}

// Of sequences with the time in front: a linear map, and losses of which only these count.
Model few_losses(const at::Tensor& w, const at::Tensor& x, const std::vector<double>& count) {
  return {"", {w}, [=] {
            const at::Tensor out = at::tanh(at::linear(x, w)).transpose(0, 1);
            return energies(out) * at::tensor(count, at::kDouble);
          }};
}

// The rows of the only example that counts agree with every order of rows that gives them to it,
// and hers alone do not tell which that is. With the batch in front they would be of four examples,
// each of which may add as much as one.
TEST(PerExample, RowsAreNotTakenToBeInAnOrderThatNothingShows) {
  at::manual_seed(6);
  const auto w = parameter({4, 3});
  const auto x = at::randn({4, 4, 3}, at::kDouble);
  KnownLayouts layouts;
  for (const std::vector<double>& count : std::vector<std::vector<double>>{{0, 1, 0, 0},
                                                                           {1, 0, 0, 0},
                                                                           {0, 0, 0, 1},
                                                                           {0, 0, 0, 0},
                                                                           {1, 0, 1, 1},
                                                                           {0, 1, 0, 0},
                                                                           {1, 1, 1, 1}}) {
    const Model batch = few_losses(w, x, count);
    auto gradients = PerExampleGradients::of(batch.losses(), batch.parameters, layouts);
    ASSERT_TRUE(gradients) << gradients.error().message();
    EXPECT_TRUE(gradients->unknown().empty()) << "what depends on data is nobody's business";
    EXPECT_TRUE(at::allclose(computed_squares(gradients->squared_norms().front()),
                             one_by_one(batch).front().square().sum(1), 1e-9, 1e-12));
  }
  EXPECT_EQ(layouts.size(), 1U) << "three examples show the order";
}

// What an example adds, one of whose rows overflows, is the same whoever else is in the batch.
// Data chooses the rows, so that nothing else tells whose the row is that is left out.
TEST(PerExample, ARowThatOverflowsIsLeftOutWhoeverElseIsThere) {
  const auto w = at::ones({1, 1}, at::kFloat).set_requires_grad(true);
  const auto norms_of = [&](const std::vector<float>& values, const std::vector<bool>& chosen) {
    const auto examples = static_cast<std::int64_t>(values.size()) / 2;
    const at::Tensor x = at::tensor(values).view({examples, 2, 1});
    at::Tensor mask = at::zeros({examples, 2}, at::kBool);
    for (std::size_t i = 0; i < chosen.size(); ++i)
      mask.view({-1})[static_cast<std::int64_t>(i)] = chosen[i];
    const at::Tensor grown = at::linear(x.index({mask}), w).exp();
    const at::Tensor losses =
        at::zeros({examples, 2, 1}).index_put({mask}, grown).flatten(1).sum(1);
    KnownLayouts layouts;
    auto gradients = PerExampleGradients::of(losses, {w}, layouts);
    EXPECT_TRUE(gradients) << gradients.error().message();
    return computed_squares(gradients->squared_norms().front());
  };
  const double alone = norms_of({0.5F, 1000}, {true, true})[0].item<double>();
  EXPECT_NEAR(alone, std::pow(0.5 * std::exp(0.5), 2), 1e-5);
  const at::Tensor alike = norms_of({0.5F, 1000, 0.25F, 0.75F}, {true, true, true, true});
  const at::Tensor unlike = norms_of({0.5F, 1000, 0.25F, 0.75F}, {true, true, true, false});
  EXPECT_NEAR(alike[0].item<double>(), alone, 1e-6);
  EXPECT_NEAR(unlike[0].item<double>(), alone, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(PerExample, EveryModel, ::testing::ValuesIn(models()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace tacit::train
