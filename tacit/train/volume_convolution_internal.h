#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "tacit/train/parameter_use_internal.h"

namespace tacit::train {

// The weight of a convolution in three dimensions.
std::unique_ptr<ParameterUse> volume_convolution_use(const at::Tensor& input,
                                                     const at::Tensor& gradient, at::Tensor weight,
                                                     ConvolutionShape shape,
                                                     const ExampleLayout& layout);

}  // namespace tacit::train
