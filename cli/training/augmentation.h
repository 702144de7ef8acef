#pragma once

#include <ATen/core/Tensor.h>

#include "cli/training/config.h"

namespace tacit::training {

// `views` views of each image, one behind the other, each mirrored and moved by chance of its own.
// Chance is torch's: it decides nothing about privacy.
at::Tensor views_of(const at::Tensor& images, const AugmentationSection& section);

}  // namespace tacit::training
