#include <ATen/ATen.h>

#include <array>

#include "tacit/train/cuda_kernels.h"
#include "tacit/train/lstm_cell_internal.h"

namespace tacit::train {

// The text of device_recurrence_kernel.h; written by the build.
const char* device_recurrence_text();

namespace {

// As the kernels have it.
constexpr std::int64_t kSequences = 2;
constexpr std::int64_t kMostHidden = 256;

// Null where there are none for these gates.
const CudaKernels* kernels_for(const at::Tensor& gates) {
  if (gates.scalar_type() != at::kFloat) return nullptr;
  return CudaKernels::shared(device_recurrence_text(), gates.device());
}

struct Sizes {
  explicit Sizes(const at::Tensor& gates)
      : steps(gates.size(0)), sequences(gates.size(1)), hidden(gates.size(3)) {}

  long long steps;
  long long sequences;
  long long hidden;
};

}  // namespace

bool lstm_cells_on_device(const at::Tensor& gates, bool reverse, const at::Tensor& cells) {
  const CudaKernels* const kernels = kernels_for(gates);
  if (kernels == nullptr) return false;
  Sizes sizes(gates);
  int back = reverse ? 1 : 0;
  const void* gates_at = gates.const_data_ptr();
  void* cells_at = cells.mutable_data_ptr();
  std::array<void*, 6> arguments{&gates_at,     &sizes.steps, &sizes.sequences,
                                 &sizes.hidden, &back,        &cells_at};
  const auto threads = static_cast<std::uint64_t>(sizes.sequences * sizes.hidden);
  return kernels->launch("lstm_cells", threads, arguments.data()).has_value();
}

bool lstm_back_on_device(const at::Tensor& gates, const at::Tensor& cells, const at::Tensor& shown,
                         const at::Tensor& of_output, const at::Tensor& state_weight, bool reverse,
                         const at::Tensor& of_state, const at::Tensor& of_cell) {
  Sizes sizes(gates);
  const CudaKernels* const kernels = kernels_for(gates);
  if (kernels == nullptr || sizes.hidden > kMostHidden) return false;
  const at::Tensor output = of_output.defined() ? of_output.contiguous() : at::Tensor();
  const at::Tensor weight = state_weight.contiguous();
  int back = reverse ? 1 : 0;
  void* gates_at = gates.mutable_data_ptr();
  const void* cells_at = cells.const_data_ptr();
  const void* shown_at = shown.const_data_ptr();
  const void* output_at = output.defined() ? output.const_data_ptr() : nullptr;
  const void* weight_at = weight.const_data_ptr();
  void* state_at = of_state.mutable_data_ptr();
  void* cell_at = of_cell.mutable_data_ptr();
  std::array<void*, 11> arguments{&gates_at,  &cells_at,    &shown_at,        &output_at,
                                  &weight_at, &sizes.steps, &sizes.sequences, &sizes.hidden,
                                  &back,      &state_at,    &cell_at};
  const auto blocks = static_cast<std::uint64_t>((sizes.sequences + kSequences - 1) / kSequences);
  return kernels->launch_blocks("lstm_back", blocks, arguments.data()).has_value();
}

}  // namespace tacit::train
