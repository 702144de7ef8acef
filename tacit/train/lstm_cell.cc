#include "tacit/train/lstm_cell_internal.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "tacit/train/in_parallel_internal.h"

namespace tacit::train {
namespace {

constexpr std::int64_t kGrain = 1 << 13;  // cells that are worth a thread

template <class Number>
void next_cells(const Number* gates, const Number* before, Number* after, std::int64_t hidden) {
  const Number* const in = gates;
  const Number* const forget = gates + hidden;
  const Number* const cell = gates + 2 * hidden;
  for (std::int64_t i = 0; i < hidden; ++i) after[i] = forget[i] * before[i] + in[i] * cell[i];
}

template <class Number>
void fill_cells(const at::Tensor& gates, bool reverse, const at::Tensor& cells) {
  const std::int64_t steps = gates.size(0);
  const std::int64_t sequences = gates.size(1);
  const std::int64_t hidden = gates.size(3);
  const auto* all_gates = gates.const_data_ptr<Number>();
  auto* all_cells = cells.mutable_data_ptr<Number>();
  const auto work = [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t step = 0; step < steps; ++step) {
      const std::int64_t time = reverse ? steps - 1 - step : step;
      for (std::int64_t i = from; i < to; ++i) {
        Number* const before = all_cells + (step * sequences + i) * hidden;
        next_cells(all_gates + (time * sequences + i) * 4 * hidden, before,
                   before + sequences * hidden, hidden);
      }
    }
  };
  in_parallel(sequences, std::max<std::int64_t>(1, kGrain / (steps * hidden)), work);
}

// The cells of one sequence. Pointers do not alias, which lets the compiler take several at once.
template <class Number>
void cells_back(Number* __restrict gates, const Number* __restrict cell_before,
                const Number* __restrict shown, const Number* __restrict of_state,
                Number* __restrict of_cell, std::int64_t hidden) {
  for (std::int64_t i = 0; i < hidden; ++i) {
    const Number in = gates[i];
    const Number forget = gates[hidden + i];
    const Number cell = gates[2 * hidden + i];
    const Number out = gates[3 * hidden + i];
    const Number total = of_state[i] * out * (1 - shown[i] * shown[i]) + of_cell[i];
    gates[i] = total * cell * in * (1 - in);
    gates[hidden + i] = total * cell_before[i] * forget * (1 - forget);
    gates[2 * hidden + i] = total * in * (1 - cell * cell);
    gates[3 * hidden + i] = of_state[i] * shown[i] * out * (1 - out);
    of_cell[i] = total * forget;
  }
}

template <class Number>
void step_back(const at::Tensor& gates, const at::Tensor& cell_before, const at::Tensor& shown,
               const at::Tensor& of_state, const at::Tensor& of_cell) {
  const std::int64_t hidden = gates.size(2);
  auto* gate = gates.mutable_data_ptr<Number>();
  const auto* before = cell_before.const_data_ptr<Number>();
  const auto* seen = shown.const_data_ptr<Number>();
  const auto* state = of_state.const_data_ptr<Number>();
  auto* cell = of_cell.mutable_data_ptr<Number>();
  in_parallel(gates.size(0), std::max<std::int64_t>(1, kGrain / hidden),
              [&](std::int64_t from, std::int64_t to) {
                for (std::int64_t i = from; i < to; ++i) {
                  const std::int64_t at = i * hidden;
                  cells_back(gate + 4 * at, before + at, seen + at, state + at, cell + at, hidden);
                }
              });
}

// On a device that has no kernel for it.
void fill_cells_by_operations(const at::Tensor& gates, bool reverse, const at::Tensor& cells) {
  const std::int64_t steps = gates.size(0);
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto gate = gates[reverse ? steps - 1 - step : step].unbind(1);
    cells[step + 1].copy_(gate[1] * cells[step] + gate[0] * gate[2]);
  }
}

void step_back_by_operations(const at::Tensor& gates, const at::Tensor& cell_before,
                             const at::Tensor& shown, const at::Tensor& of_state,
                             const at::Tensor& of_cell) {
  const auto gate = gates.clone().unbind(1);
  const at::Tensor& in = gate[0];
  const at::Tensor& forget = gate[1];
  const at::Tensor& cell = gate[2];
  const at::Tensor& out = gate[3];
  const at::Tensor total = of_state * out * (1 - shown * shown) + of_cell;
  gates.select(1, 0).copy_(total * cell * in * (1 - in));
  gates.select(1, 1).copy_(total * cell_before * forget * (1 - forget));
  gates.select(1, 2).copy_(total * in * (1 - cell * cell));
  gates.select(1, 3).copy_(of_state * shown * out * (1 - out));
  of_cell.copy_(total * forget);
}

}  // namespace

at::Tensor lstm_cells(const at::Tensor& gates, const at::Tensor& first_cell, bool reverse) {
  const at::Tensor cells = gates.new_empty({gates.size(0) + 1, gates.size(1), gates.size(3)});
  cells[0].copy_(first_cell);
  if (!gates.is_cpu()) {
    if (!lstm_cells_on_device(gates, reverse, cells)) {
      fill_cells_by_operations(gates, reverse, cells);
    }
  } else if (gates.scalar_type() == at::kDouble) {
    fill_cells<double>(gates, reverse, cells);
  } else {
    fill_cells<float>(gates, reverse, cells);
  }
  return cells;
}

void lstm_step_back(const at::Tensor& gates, const at::Tensor& cell_before, const at::Tensor& shown,
                    const at::Tensor& of_state, const at::Tensor& of_cell) {
  if (!gates.is_cpu()) {
    step_back_by_operations(gates, cell_before, shown, of_state, of_cell);
  } else if (gates.scalar_type() == at::kDouble) {
    step_back<double>(gates, cell_before, shown, of_state, of_cell);
  } else {
    step_back<float>(gates, cell_before, shown, of_state, of_cell);
  }
}

}  // namespace tacit::train
