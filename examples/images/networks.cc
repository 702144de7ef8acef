#include "networks.h"

#include "tacit/train/scattering_network.h"

namespace {

using namespace torch::nn;

constexpr std::int64_t kClasses = 10;

Conv2d convolution(std::int64_t from, std::int64_t to) {
  return Conv2d(Conv2dOptions(from, to, 3).padding(1));
}

// Tanh keeps gradients bounded and does better than ReLU under clipping (Papernot et al. 2021).
Sequential with_tanh(std::int64_t channels, std::int64_t side) {
  const std::int64_t left = ((side - 2) / 2 - 4) / 2;
  return Sequential(Conv2d(Conv2dOptions(channels, 32, 8).stride(2).padding(3)), Tanh(),
                    MaxPool2d(MaxPool2dOptions(2).stride(1)),
                    Conv2d(Conv2dOptions(32, 64, 4).stride(2)), Tanh(),
                    MaxPool2d(MaxPool2dOptions(2).stride(1)), Flatten(),
                    Linear(64 * left * left, 64), Tanh(), Linear(64, kClasses));
}

Sequential normalized(std::int64_t channels, std::int64_t side) {
  const std::int64_t left = side / 4;
  return Sequential(convolution(channels, 16), GroupNorm(4, 16), Tanh(), MaxPool2d(2),
                    convolution(16, 32), GroupNorm(4, 32), Tanh(), MaxPool2d(2), Flatten(),
                    Linear(32 * left * left, kClasses));
}

Sequential deep(std::int64_t channels, std::int64_t side) {
  Sequential network;
  for (const std::int64_t width : {32, 64, 128}) {
    for (const bool is_last : {false, true}) {
      network->push_back(convolution(channels, width));
      network->push_back(GroupNorm(8, width));
      network->push_back(ReLU());
      if (is_last) network->push_back(MaxPool2d(2));
      channels = width;
    }
  }
  const std::int64_t left = side / 8;
  network->push_back(Flatten());
  network->push_back(Linear(channels * left * left, kClasses));
  return network;
}

}  // namespace

tacit::Result<Sequential> make_network(const std::string& name, std::int64_t channels,
                                       std::int64_t side) {
  if (name == "tanh") return with_tanh(channels, side);
  if (name == "normalized") return normalized(channels, side);
  if (name == "deep") return deep(channels, side);
  if (name == "scattering") {
    return tacit::train::scattering_network(channels, side, side, kClasses);
  }
  return tacit::bad_input("there is no network " + name, "--network",
                          "give tanh, normalized, deep or scattering");
}
