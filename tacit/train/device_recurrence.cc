#include <ATen/ATen.h>

#include <array>

#include "tacit/train/cuda_kernels.h"
#include "tacit/train/device_text_internal.h"
#include "tacit/train/lstm_cell_internal.h"

namespace tacit::train {

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
  std::uint64_t gates_at = device_address(gates);
  std::uint64_t cells_at = device_address(cells);
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
  std::uint64_t gates_at = device_address(gates);
  std::uint64_t cells_at = device_address(cells);
  std::uint64_t shown_at = device_address(shown);
  std::uint64_t output_at = device_address(output);
  std::uint64_t weight_at = device_address(weight);
  std::uint64_t state_at = device_address(of_state);
  std::uint64_t cell_at = device_address(of_cell);
  std::array<void*, 11> arguments{&gates_at,  &cells_at,    &shown_at,        &output_at,
                                  &weight_at, &sizes.steps, &sizes.sequences, &sizes.hidden,
                                  &back,      &state_at,    &cell_at};
  const auto blocks = static_cast<std::uint64_t>((sizes.sequences + kSequences - 1) / kSequences);
  return kernels->launch_blocks("lstm_back", blocks, arguments.data()).has_value();
}

}  // namespace tacit::train
