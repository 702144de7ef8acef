#pragma once

#include <torch/nn/modules/container/sequential.h>

#include <cstdint>

namespace tacit::train {

// A small network for scattering features [channels, height, width] of images, after Tramèr and
// Boneh (2021): features are normalized by groups of channels, each example by itself and without
// anything to learn, and go through two convolutions, which are normalized likewise, and a linear
// layer.
torch::nn::Sequential scattering_network(std::int64_t channels, std::int64_t height,
                                         std::int64_t width, std::int64_t classes);

}  // namespace tacit::train
