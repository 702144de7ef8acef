#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>

#include "tacit/train/cuda_kernels.h"

namespace tacit::train {

// The kernels of device_norms_kernel.h for a device, compiled once in a process; null where there
// is no way to.
const CudaKernels* norm_kernels(at::Device device);

// The inner products of the rows of two matrices of floats on a device, in double precision;
// nothing where no kernel does it.
std::optional<at::Tensor> row_dots_on_device(const at::Tensor& left, const at::Tensor& right);

}  // namespace tacit::train
