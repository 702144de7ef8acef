#include "tacit/train/scattering_network.h"

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/modules/pooling.h>

#include <numeric>

namespace tacit::train {

namespace nn = torch::nn;

nn::Sequential scattering_network(std::int64_t channels, std::int64_t height, std::int64_t width,
                                  std::int64_t classes) {
  constexpr std::int64_t kInside = 128;
  constexpr std::int64_t kGroups = 8;
  // With 81 channels a colour, 9 in each group.
  const std::int64_t groups = channels / std::gcd(channels, std::int64_t{9});
  const auto convolution = [](std::int64_t from) {
    return nn::Conv2d(nn::Conv2dOptions(from, kInside, 3).padding(1));
  };
  return nn::Sequential(nn::GroupNorm(nn::GroupNormOptions(groups, channels).affine(false)),
                        convolution(channels), nn::GroupNorm(kGroups, kInside), nn::ReLU(),
                        nn::MaxPool2d(2), convolution(kInside), nn::GroupNorm(kGroups, kInside),
                        nn::ReLU(), nn::Flatten(),
                        nn::Linear(kInside * (height / 2) * (width / 2), classes));
}

}  // namespace tacit::train
