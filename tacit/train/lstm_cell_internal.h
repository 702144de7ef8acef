#pragma once

#include <ATen/core/Tensor.h>

namespace tacit::train {

// What a long short-term memory does with its gates: each of these goes over memory once, where
// libtorch's operations go over it a dozen times. Tensors are contiguous, of float or
// of double. Gates are those of input, forget, cell and output, after their nonlinearities.

// The cells before each step and after the last, in the order of the recurrence: [steps + 1,
// sequences, hidden], from gates [steps, sequences, 4, hidden] in the order of time.
at::Tensor lstm_cells(const at::Tensor& gates, const at::Tensor& first_cell, bool reverse);

// One step back, from the gradients of the state and of the cell after it. `gates` [sequences, 4,
// hidden] become the gradients of what their nonlinearities were applied to, and `of_cell` that of
// the cell before the step. `shown` is the tanh of the cell after it.
void lstm_step_back(const at::Tensor& gates, const at::Tensor& cell_before, const at::Tensor& shown,
                    const at::Tensor& of_state, const at::Tensor& of_cell);

// Fills the cells after the first; false where no kernel does it.
bool lstm_cells_on_device(const at::Tensor& gates, bool reverse, const at::Tensor& cells);

// All steps back in one kernel: gates [steps, sequences, 4, hidden] as above, cells and shown of
// all steps, the gradients of the output (undefined: none), of the last state and of the last cell,
// which become those of the first. False where it does nothing: not on a device, or the weight is
// too large for this to be the quick way.
bool lstm_back_on_device(const at::Tensor& gates, const at::Tensor& cells, const at::Tensor& shown,
                         const at::Tensor& of_output, const at::Tensor& state_weight, bool reverse,
                         const at::Tensor& of_state, const at::Tensor& of_cell);

}  // namespace tacit::train
