#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tacit/train/recurrence_internal.h"
#include "tacit/train/testing/loop_over_examples.h"
#include "tacit/train/testing/recurrence_weights.h"

namespace tacit::train {
namespace {

constexpr std::int64_t kSequences = 6;
constexpr std::int64_t kIn = 5;
constexpr std::int64_t kHidden = 4;

struct Recurrence {
  std::string name;
  std::int64_t gates = 4;
  std::int64_t layers = 1;
  bool bidirectional = false;
  bool batch_first = true;
  bool biases = true;
  double dropout = 0;
  std::int64_t steps = 3;  // so few that norms come from inner products
  std::int64_t projection = 0;
  at::ScalarType type = at::kFloat;

  [[nodiscard]] RecurrenceShape shape() const {
    return {kIn, kHidden, gates, layers, bidirectional, biases, projection, type};
  }
};

// All that the recurrence gives out: states of all steps, the last ones, the last cells.
std::vector<at::Tensor> run(const Recurrence& kind, const at::Tensor& input,
                            const std::vector<at::Tensor>& first,
                            const std::vector<at::Tensor>& weights) {
  const auto with = [&](auto&& recurrence, const auto& start) {
    return recurrence(input, start, weights, kind.biases, kind.layers, kind.dropout,
                      /*train=*/true, kind.bidirectional, kind.batch_first);
  };
  if (kind.gates == 4) {
    const auto [output, state, cell] = with([](auto&&... a) { return at::lstm(a...); }, first);
    return {output, state, cell};
  }
  const auto [output, state] =
      kind.gates == 3 ? with([](auto&&... a) { return at::gru(a...); }, first.front())
                      : with([](auto&&... a) { return at::rnn_tanh(a...); }, first.front());
  return {output, state};
}

// A recurrence on a linear map, which the loss also sees by itself.
Model model_of(const Recurrence& kind) {
  const auto below = parameter({kIn, 3}, kind.type);
  const auto weights = recurrence_weights(kind.shape());
  const auto x = at::randn({kSequences, kind.steps, 3}, kind.type);
  const auto first = first_states(kind.shape(), kSequences);
  std::vector<at::Tensor> parameters{below};
  parameters.insert(parameters.end(), weights.begin(), weights.end());
  return {kind.name, parameters, [=] {
            at::manual_seed(11);  // the same units drop out each time
            at::Tensor input = at::tanh(at::linear(x, below));
            if (!kind.batch_first) input = input.transpose(0, 1);
            const auto given = run(kind, input, first, weights);
            at::Tensor losses = energies(kind.batch_first ? given[0] : given[0].transpose(0, 1));
            for (std::size_t i = 1; i < given.size(); ++i) {
              losses = losses + energies(given[i].transpose(0, 1));
            }
            return losses + energies(input.transpose(0, kind.batch_first ? 0 : 1));
          }};
}

std::vector<Recurrence> recurrences() {
  std::vector<Recurrence> all{
      {.name = "Lstm"},
      {.name = "LongLstm", .steps = 9},  // norms come from gradients multiplied out
      {.name = "StackedLstm", .layers = 3},
      {.name = "BidirectionalLstm", .layers = 2, .bidirectional = true},
      {.name = "TimeFirstLstm", .bidirectional = true, .batch_first = false},
      {.name = "LstmWithoutBiases", .biases = false},
      {.name = "LstmWithDropout", .layers = 2, .dropout = 0.5},
      {.name = "LstmWithProjection", .layers = 2, .bidirectional = true, .projection = 3},
      {.name = "Gru", .gates = 3},
      {.name = "BidirectionalGru", .gates = 3, .layers = 2, .bidirectional = true},
      {.name = "TimeFirstGru", .gates = 3, .batch_first = false, .dropout = 0.5},
      {.name = "Rnn", .gates = 1},
      {.name = "BidirectionalRnn", .gates = 1, .layers = 2, .bidirectional = true},
  };
  const std::size_t single = all.size();
  for (std::size_t i = 0; i < single; ++i) {
    all.push_back(all[i]);
    all.back().name += "InDouble";
    all.back().type = at::kDouble;
  }
  return all;
}

std::vector<Model> models() {
  at::manual_seed(5);
  std::vector<Model> all;
  for (const Recurrence& kind : recurrences()) all.push_back(model_of(kind));
  return all;
}

class EveryRecurrence : public ::testing::TestWithParam<Model> {};

TEST_P(EveryRecurrence, AgreesWithALoopOverExamples) { expect_agreement(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Recurrence, EveryRecurrence, ::testing::ValuesIn(models()),
                         [](const auto& tested) { return tested.param.name; });

// The gradient of a batch, through the fused kernel's own backward pass and through ours.
TEST(Recurrence, UnfusingKeepsTheGradientsOfTheGraph) {
  at::manual_seed(6);
  const Model model = model_of({.name = "", .layers = 2, .bidirectional = true});
  const auto expected = torch::autograd::grad({model.losses().sum()}, model.parameters);
  const at::Tensor losses = model.losses();
  unfuse_recurrences(torch::autograd::impl::gradient_edge(losses));
  const auto found = torch::autograd::grad({losses.sum()}, model.parameters);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(at::allclose(found[i], expected[i], 1e-4, 1e-4)) << i;
  }
}

}  // namespace
}  // namespace tacit::train
