#pragma once

#include <ATen/core/Tensor.h>

#include "cli/training/config.h"
#include "tacit/random/secure_stream.h"
#include "tacit/train/scattering.h"

namespace tacit::training {

// `views` views of each image, one behind the other, each mirrored and moved by chance of its own.
// Chance is the system's, whatever seed the weights had: who knew which views an image gets if one
// image more is drawn, and which if not, could tell the two apart (proof.md, chance in a model).
// Where images are given by their scattering features, the transform says how these are mirrored;
// they cannot be moved.
at::Tensor views_of(const at::Tensor& images, const AugmentationSection& section,
                    SecureStream& stream, const train::Scattering* scattering = nullptr);

}  // namespace tacit::training
