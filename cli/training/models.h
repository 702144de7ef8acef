#pragma once

#include <torch/nn/modules/container/sequential.h>

#include <cstdint>
#include <span>

#include "cli/training/config.h"
#include "tacit/base/error.h"

namespace tacit::training {

// A new model for examples of `shape` (for scattering: that of their features), with initial
// weights that `seed` decides. None of the kinds mixes examples: normalization is by groups of
// channels. Refuses images that are too small for it.
Result<torch::nn::Sequential> make_model(const ModelSection& section,
                                         std::span<const std::int64_t> shape, std::int64_t classes,
                                         std::uint64_t seed);

// How many numbers are trained.
std::int64_t parameter_count(const torch::nn::Sequential& model);

}  // namespace tacit::training
