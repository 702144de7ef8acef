#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tacit/train/testing/loop_over_examples.h"
#include "tacit/train/testing/recurrence_weights.h"

namespace tacit::train {
namespace {

constexpr std::int64_t kIn = 5;
constexpr std::int64_t kHidden = 4;

struct Packed {
  std::string name;
  std::vector<std::int64_t> lengths;  // of the sequences as the batch has them
  std::int64_t gates = 4;
  std::int64_t layers = 1;
  bool bidirectional = false;
  bool biases = true;
  double dropout = 0;
  std::int64_t projection = 0;
  bool below = true;  // a linear map below: else nothing in the graph tells of the packing
  at::ScalarType type = at::kDouble;

  [[nodiscard]] RecurrenceShape shape() const {
    return {kIn, kHidden, gates, layers, bidirectional, biases, projection, type};
  }
};

// States of all steps as packed rows, and the last ones (and the last cells) of all sequences.
std::vector<at::Tensor> run(const Packed& kind, const at::Tensor& rows, const at::Tensor& sizes,
                            const std::vector<at::Tensor>& first,
                            const std::vector<at::Tensor>& weights) {
  const auto with = [&](auto&& recurrence, const auto& start) {
    return recurrence(rows, sizes, start, weights, kind.biases, kind.layers, kind.dropout,
                      /*train=*/true, kind.bidirectional);
  };
  if (kind.gates == 4) {
    const auto [output, state, cell] = with([](auto&&... a) { return at::lstm(a...); }, first);
    return {output, state, cell};
  }
  const auto [output, state] =
      kind.gates == 3 ? with([](auto&&... a) { return at::gru(a...); }, first.front())
                      : with([](auto&&... a) { return at::rnn_relu(a...); }, first.front());
  return {output, state};
}

Model model_of(const Packed& kind) {
  const auto examples = static_cast<std::int64_t>(kind.lengths.size());
  const auto [lengths, order] = at::tensor(kind.lengths, at::kLong).sort(true, 0, true);
  const at::Tensor back = order.argsort();
  const auto below = parameter({kIn, 3}, kind.type);
  const auto weights = recurrence_weights(kind.shape());
  const auto x = at::randn({examples, lengths[0].item<std::int64_t>(), 3}, kind.type);
  const auto frozen = at::randn({kIn, 3}, kind.type);
  const auto first = first_states(kind.shape(), examples);
  std::vector<at::Tensor> parameters = weights;
  if (kind.below) parameters.push_back(below);
  return {kind.name, parameters, [=, lengths = lengths, order = order] {
            at::manual_seed(11);  // the same units drop out each time
            const at::Tensor input = at::tanh(at::linear(x, kind.below ? below : frozen));
            const auto [rows, sizes] =
                at::_pack_padded_sequence(input.index_select(0, order), lengths, true);
            const auto given = run(kind, rows, sizes, first, weights);
            const auto [padded, ignored] = at::_pad_packed_sequence(given[0], sizes, true, 0, -1);
            at::Tensor losses = energies(padded.index_select(0, back));
            for (std::size_t i = 1; i < given.size(); ++i) {
              losses = losses + energies(given[i].index_select(1, back).transpose(0, 1));
            }
            return losses;
          }};
}

// The sequences come sorted and only last states are asked for: no index is in the graph.
Model sorted_model() {
  Packed kind{.name = "SortedLastStates", .lengths = {5, 4, 4, 2, 1}, .below = false};
  const auto weights = recurrence_weights(kind.shape());
  const auto x = at::randn({5, 5, kIn}, at::kDouble);
  return {kind.name, weights, [=] {
            const auto [rows, sizes] =
                at::_pack_padded_sequence(x, at::tensor(kind.lengths, at::kLong), true);
            const at::Tensor zero = at::zeros({1, 5, kHidden}, at::kDouble);
            return energies(run(kind, rows, sizes, {zero, zero}, weights)[1].transpose(0, 1));
          }};
}

std::vector<Model> models() {
  at::manual_seed(5);
  const std::vector<std::int64_t> mixed{2, 7, 4, 4, 1, 6};   // 24 rows, 4 for each in the mean
  const std::vector<std::int64_t> uneven{3, 1, 5, 2, 8};     // 19 rows
  const std::vector<std::int64_t> long_ones{30, 1, 28, 15};  // gradients are multiplied out
  const std::vector<Packed> kinds{
      {.name = "Lstm", .lengths = mixed},
      {.name = "UnevenLstm", .lengths = uneven},
      {.name = "LongLstm", .lengths = long_ones},
      {.name = "LstmOnData", .lengths = uneven, .below = false},
      {.name = "StackedLstm", .lengths = mixed, .layers = 3, .dropout = 0.5},
      {.name = "BidirectionalLstm", .lengths = uneven, .layers = 2, .bidirectional = true},
      {.name = "LstmWithoutBiases", .lengths = uneven, .biases = false},
      {.name = "LstmWithProjection", .lengths = mixed, .layers = 2, .projection = 3},
      {.name = "Gru", .lengths = mixed, .gates = 3},
      {.name = "BidirectionalGru",
       .lengths = mixed,
       .gates = 3,
       .layers = 2,
       .bidirectional = true},
      {.name = "StackedGru", .lengths = uneven, .gates = 3, .layers = 2},
      {.name = "Rnn", .lengths = mixed, .gates = 1},
      {.name = "BidirectionalRnn",
       .lengths = uneven,
       .gates = 1,
       .layers = 2,
       .bidirectional = true},
      {.name = "EqualLengths", .lengths = {3, 3, 3}},
      {.name = "OneSequence", .lengths = {4}},
      {.name = "LstmInFloat", .lengths = uneven, .type = at::kFloat},
      {.name = "GruInFloat",
       .lengths = mixed,
       .gates = 3,
       .bidirectional = true,
       .type = at::kFloat},
  };
  std::vector<Model> all{sorted_model()};
  for (const Packed& kind : kinds) all.push_back(model_of(kind));
  return all;
}

class EveryPacked : public ::testing::TestWithParam<Model> {};

TEST_P(EveryPacked, AgreesWithALoopOverExamples) { expect_agreement(GetParam()); }

INSTANTIATE_TEST_SUITE_P(PackedSequence, EveryPacked, ::testing::ValuesIn(models()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace tacit::train
