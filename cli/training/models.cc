#include "cli/training/models.h"

#include <fmt/format.h>
#include <torch/nn.h>
#include <torch/utils.h>

#include <numeric>

#include "tacit/train/scattering_network.h"

namespace tacit::training {
namespace {

namespace nn = torch::nn;

nn::AnyModule activation(Activation kind) {
  return kind == Activation::kTanh ? nn::AnyModule(nn::Tanh()) : nn::AnyModule(nn::ReLU());
}

at::Tensor activated(const at::Tensor& values, Activation kind) {
  return kind == Activation::kTanh ? values.tanh() : values.relu();
}

nn::Conv2d convolution(std::int64_t from, std::int64_t to, std::int64_t stride = 1) {
  return nn::Conv2d(nn::Conv2dOptions(from, to, 3).stride(stride).padding(1));
}

// At most eight groups.
nn::GroupNorm group_norm(std::int64_t channels) {
  return nn::GroupNorm(nn::GroupNormOptions(std::gcd(channels, std::int64_t{8}), channels));
}

// Two convolutions and a way around them (He, Zhang, Ren, Sun 2016), with group normalization.
class ResidualBlockImpl : public nn::Module {
 public:
  ResidualBlockImpl(std::int64_t from, std::int64_t to, std::int64_t stride, Activation kind)
      : kind_(kind),
        conv1_(register_module("conv1", convolution(from, to, stride))),
        norm1_(register_module("norm1", group_norm(to))),
        conv2_(register_module("conv2", convolution(to, to))),
        norm2_(register_module("norm2", group_norm(to))) {
    if (from == to && stride == 1) return;
    shortcut_ =
        register_module("shortcut", nn::Conv2d(nn::Conv2dOptions(from, to, 1).stride(stride)));
  }

  at::Tensor forward(const at::Tensor& x) {
    const at::Tensor inner = activated(norm1_(conv1_(x)), kind_);
    const at::Tensor around = shortcut_.is_empty() ? x : shortcut_(x);
    return activated(norm2_(conv2_(inner)) + around, kind_);
  }

 private:
  Activation kind_;
  nn::Conv2d conv1_;
  nn::GroupNorm norm1_;
  nn::Conv2d conv2_;
  nn::GroupNorm norm2_;
  nn::Conv2d shortcut_{nullptr};
};
TORCH_MODULE(ResidualBlock);

nn::Sequential fully_connected(const std::vector<std::int64_t>& widths, Activation kind) {
  nn::Sequential model{nn::Flatten()};
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    if (i > 0) model->push_back(activation(kind));
    model->push_back(nn::Linear(widths[i], widths[i + 1]));
  }
  return model;
}

// The network with which Papernot, Thakurta, Song, Chien and Erlingsson (2021) reach the best
// accuracy on MNIST, with more channels. Without normalization: tanh keeps activations bounded.
nn::Sequential plain_cnn(std::span<const std::int64_t> shape, std::int64_t classes,
                         Activation kind) {
  constexpr std::int64_t kFirst = 32;
  constexpr std::int64_t kSecond = 64;
  const auto side = [](std::int64_t size) { return ((size - 2) / 2 - 4) / 2; };
  const std::int64_t flat = kSecond * side(shape[1]) * side(shape[2]);
  const auto pool = [] { return nn::MaxPool2d(nn::MaxPool2dOptions(2).stride(1)); };
  nn::Sequential model;
  model->push_back(nn::Conv2d(nn::Conv2dOptions(shape[0], kFirst, 8).stride(2).padding(3)));
  model->push_back(activation(kind));
  model->push_back(pool());
  model->push_back(nn::Conv2d(nn::Conv2dOptions(kFirst, kSecond, 4).stride(2)));
  model->push_back(activation(kind));
  model->push_back(pool());
  model->push_back(nn::Flatten());
  model->push_back(nn::Linear(flat, 64));
  model->push_back(activation(kind));
  model->push_back(nn::Linear(64, classes));
  return model;
}

void push_head(nn::Sequential& model, std::int64_t channels, std::int64_t classes) {
  model->push_back(nn::AdaptiveAvgPool2d(1));
  model->push_back(nn::Flatten());
  model->push_back(nn::Linear(channels, classes));
}

// Three stages of two convolutions each, with group normalization.
nn::Sequential normalized_cnn(std::int64_t channels, std::int64_t classes, Activation kind) {
  nn::Sequential model;
  std::int64_t from = channels;
  for (const std::int64_t to : {32, 64, 128}) {
    for (int i = 0; i < 2; ++i) {
      model->push_back(convolution(from, to));
      model->push_back(group_norm(to));
      model->push_back(activation(kind));
      from = to;
    }
    if (to != 128) model->push_back(nn::MaxPool2d(2));
  }
  push_head(model, from, classes);
  return model;
}

nn::Sequential resnet(const ModelSection& section, std::int64_t channels, std::int64_t classes) {
  nn::Sequential model(convolution(channels, section.width), group_norm(section.width),
                       activation(section.activation));
  std::int64_t from = section.width;
  for (std::int64_t stage = 0; stage < 3; ++stage) {
    const std::int64_t to = section.width << stage;
    for (std::int64_t block = 0; block < section.blocks; ++block) {
      const std::int64_t stride = stage > 0 && block == 0 ? 2 : 1;
      model->push_back(ResidualBlock(from, to, stride, section.activation));
      from = to;
    }
  }
  push_head(model, from, classes);
  return model;
}

// The least side of an image that still has a pixel behind the last layer.
std::int64_t least_side(const ModelSection& section) {
  if (section.kind == ModelKind::kCnn && section.normalization == Normalization::kNone) return 14;
  return section.kind == ModelKind::kCnn || section.kind == ModelKind::kResnet ? 4 : 1;
}

nn::Sequential model_of(const ModelSection& section, std::span<const std::int64_t> shape,
                        std::int64_t classes) {
  switch (section.kind) {
    case ModelKind::kLogistic:
    case ModelKind::kMlp: {
      std::vector<std::int64_t> widths{c10::multiply_integers(shape)};
      if (section.kind == ModelKind::kMlp) {
        widths.insert(widths.end(), section.hidden.begin(), section.hidden.end());
      }
      widths.push_back(classes);
      return fully_connected(widths, section.activation);
    }
    case ModelKind::kCnn:
      return section.normalization == Normalization::kGroup
                 ? normalized_cnn(shape[0], classes, section.activation)
                 : plain_cnn(shape, classes, section.activation);
    case ModelKind::kResnet:
      return resnet(section, shape[0], classes);
    case ModelKind::kScattering:
      return train::scattering_network(shape[0], shape[1], shape[2], classes);
  }
  std::unreachable();
}

}  // namespace

Result<nn::Sequential> make_model(const ModelSection& section, std::span<const std::int64_t> shape,
                                  std::int64_t classes, std::uint64_t seed) {
  const std::int64_t least = least_side(section);
  if (shape.size() == 3 && std::min(shape[1], shape[2]) < least) {
    return bad_input(fmt::format("images of {} by {} are too small for a {}", shape[1], shape[2],
                                 name(section.kind)),
                     "[model]",
                     fmt::format("it needs {} by {} at least; an mlp takes any", least, least));
  }
  torch::manual_seed(seed);
  return model_of(section, shape, classes);
}

std::int64_t parameter_count(const nn::Sequential& model) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : model->parameters()) count += parameter.numel();
  return count;
}

}  // namespace tacit::training
