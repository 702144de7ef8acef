#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>

#include "tacit/train/cuda_kernels.h"
#include "tacit/train/patches_internal.h"

namespace tacit::train {

// The kernels of device_norms_kernel.h for a device, compiled once in a process; null where there
// is no way to.
const CudaKernels* norm_kernels(at::Device device);

// The inner products of the rows of two matrices of floats on a device, in double precision, put
// into `out` where that is given; nothing where no kernel does it.
std::optional<at::Tensor> row_dots_on_device(const at::Tensor& left, const at::Tensor& right,
                                             at::Tensor out = {});

// Makes `columns` [images, channels * kernel, places] the patches of images on a device; false
// where no kernel does it.
bool copy_patches_on_device(const at::Tensor& images, const PatchShape& shape,
                            const at::Tensor& columns);

}  // namespace tacit::train
