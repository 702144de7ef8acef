#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <tuple>
#include <vector>

#include "tacit/train/lstm_cell_internal.h"

namespace tacit::train {
namespace {

constexpr std::int64_t kSteps = 3;
constexpr std::int64_t kSequences = 5;
constexpr std::int64_t kHidden = 7;

at::Tensor random_gates() { return at::rand({kSteps, kSequences, 4, kHidden}, at::kDouble); }

class LstmCells : public testing::TestWithParam<bool> {};

TEST_P(LstmCells, FollowTheGatesInTheOrderOfTheRecurrence) {
  at::manual_seed(1);
  const at::Tensor gates = random_gates();
  at::Tensor cell = at::randn({kSequences, kHidden}, at::kDouble);
  const at::Tensor cells = lstm_cells(gates, cell, GetParam());
  ASSERT_EQ(cells.size(0), kSteps + 1);
  EXPECT_TRUE(at::equal(cells[0], cell));
  for (std::int64_t step = 0; step < kSteps; ++step) {
    const auto gate = gates[GetParam() ? kSteps - 1 - step : step].unbind(1);
    cell = gate[1] * cell + gate[0] * gate[2];
    EXPECT_TRUE(at::allclose(cells[step + 1], cell, 1e-14, 1e-14)) << step;
  }
}

INSTANTIATE_TEST_SUITE_P(InBothDirections, LstmCells, testing::Bool());

// What automatic differentiation gives for a step that is written out.
std::vector<at::Tensor> gradients_of_a_step(const at::Tensor& raw, const at::Tensor& cell_before,
                                            const at::Tensor& of_state, const at::Tensor& of_cell) {
  const at::Tensor in = raw.select(1, 0).sigmoid();
  const at::Tensor forget = raw.select(1, 1).sigmoid();
  const at::Tensor out = raw.select(1, 3).sigmoid();
  const at::Tensor cell_after = forget * cell_before + in * raw.select(1, 2).tanh();
  return torch::autograd::grad({out * cell_after.tanh(), cell_after}, {raw, cell_before},
                               {of_state, of_cell});
}

class LstmStepBack : public testing::TestWithParam<at::ScalarType> {};

TEST_P(LstmStepBack, GivesTheGradientsOfTheStep) {
  at::manual_seed(2);
  // As many sequences as make it worth sharing them among threads.
  const std::int64_t sequences = 4000;
  const auto random = [&](at::IntArrayRef shape) { return at::randn(shape, GetParam()); };
  const at::Tensor raw = random({sequences, 4, kHidden}).requires_grad_();
  const at::Tensor cell_before = random({sequences, kHidden}).requires_grad_();
  const at::Tensor of_state = random({sequences, kHidden});
  at::Tensor of_cell = random({sequences, kHidden});
  const auto expected = gradients_of_a_step(raw, cell_before, of_state, of_cell);

  at::Tensor gates = raw.detach().sigmoid();
  gates.select(1, 2).copy_(raw.detach().select(1, 2).tanh());
  const at::Tensor before = cell_before.detach();
  const at::Tensor shown =
      (gates.select(1, 1) * before + gates.select(1, 0) * gates.select(1, 2)).tanh();
  lstm_step_back(gates, before, shown, of_state, of_cell);

  const double tolerance = GetParam() == at::kDouble ? 1e-13 : 1e-5;
  EXPECT_TRUE(at::allclose(gates, expected[0], tolerance, tolerance));
  EXPECT_TRUE(at::allclose(of_cell, expected[1], tolerance, tolerance));
}

INSTANTIATE_TEST_SUITE_P(InBothPrecisions, LstmStepBack, testing::Values(at::kFloat, at::kDouble));

}  // namespace
}  // namespace tacit::train
