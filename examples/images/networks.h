#pragma once

#include <torch/nn.h>

#include <string>

#include "tacit/base/error.h"

// A network for ten classes of images [channels, side, side]:
// - "tanh": two convolutions (32 and 64 channels) and two linear layers, as in examples/mnist;
// - "normalized": two convolutions (16 and 32 channels) with group normalization and tanh;
// - "deep": six convolutions (32, 32, 64, 64, 128, 128 channels) with group normalization and ReLU;
// - "scattering": two convolutions on scattering features, which are given in place of pixels
//   (tacit/train/scattering_network.h).
tacit::Result<torch::nn::Sequential> make_network(const std::string& name, std::int64_t channels,
                                                  std::int64_t side);
