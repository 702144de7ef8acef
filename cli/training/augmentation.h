#pragma once

#include <ATen/core/Tensor.h>

#include "cli/training/config.h"
#include "tacit/train/scattering.h"

namespace tacit::training {

// `views` views of each image, one behind the other, each mirrored and moved by chance of its own.
// Chance is torch's: it decides nothing about privacy. Where images are given by their scattering
// features, the transform says how these are mirrored; they cannot be moved.
at::Tensor views_of(const at::Tensor& images, const AugmentationSection& section,
                    const train::Scattering* scattering = nullptr);

}  // namespace tacit::training
