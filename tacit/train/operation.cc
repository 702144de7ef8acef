#include "tacit/train/operation_internal.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/generated/Functions.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacit/train/embedding_bag_internal.h"
#include "tacit/train/half_precision_internal.h"
#include "tacit/train/recurrence_internal.h"
#include "tacit/train/repeat_internal.h"
#include "tacit/train/volume_convolution_internal.h"

namespace tacit::train {
namespace {

using torch::autograd::Node;
namespace nodes = torch::autograd::generated;

std::vector<std::int64_t> sizes_of(const std::vector<c10::SymInt>& sizes) {
  std::vector<std::int64_t> known;
  known.reserve(sizes.size());
  for (const c10::SymInt& size : sizes) known.push_back(size.expect_int());
  return known;
}

// input W' + b, as addmm(b, input, W') and mm(input, W').
class LinearOperation final : public Operation {
 public:
  LinearOperation(at::Tensor input, std::size_t weight_position, bool has_bias)
      : input_(std::move(input)), weight_position_(weight_position), has_bias_(has_bias) {}

  [[nodiscard]] bool knows(const ParameterArgument& argument) const override {
    if (argument.position == weight_position_) return input_.defined();
    return has_bias_ && argument.position == 0 && !argument.transposed &&
           argument.parameter.dim() == 1;
  }
  [[nodiscard]] std::int64_t row_dimensions(std::int64_t) const override { return 1; }
  [[nodiscard]] std::unique_ptr<ParameterUse> use(const ParameterArgument& argument,
                                                  const at::Tensor& gradient,
                                                  const ExampleLayout& layout) const override {
    const at::Tensor& squares = squares_.of(gradient, layout);
    if (argument.position != weight_position_) return row_sum_use(gradient, layout, squares);
    return linear_use(layout.put_in_order(widened(input_, gradient)), layout.put_in_order(gradient),
                      squares, layout.example_by_example(), !argument.transposed);
  }
  [[nodiscard]] std::optional<LinearTerms> terms(const ParameterArgument& argument,
                                                 const at::Tensor& gradient) const override {
    if (argument.position != weight_position_) {
      return LinearTerms{.input = {}, .gradient = gradient};
    }
    return LinearTerms{widened(input_, gradient), gradient, !argument.transposed};
  }

 private:
  at::Tensor input_;
  std::size_t weight_position_;
  bool has_bias_;
  mutable SharedSquares squares_;
};

class ConvolutionOperation final : public Operation {
 public:
  ConvolutionOperation(at::Tensor input, ConvolutionShape shape)
      : input_(std::move(input)), shape_(std::move(shape)) {}

  [[nodiscard]] bool knows(const ParameterArgument& argument) const override {
    if (argument.transposed) return false;
    return argument.position == 2 ||
           (argument.position == 1 && input_.defined() && input_.dim() <= 5 && !pads_a_place());
  }
  [[nodiscard]] std::int64_t row_dimensions(std::int64_t) const override { return 1; }
  [[nodiscard]] std::unique_ptr<ParameterUse> use(const ParameterArgument& argument,
                                                  const at::Tensor& gradient,
                                                  const ExampleLayout& layout) const override {
    if (argument.position == 1 && input_.dim() == 5) {
      return volume_convolution_use(widened(input_, gradient), gradient, argument.parameter, shape_,
                                    layout);
    }
    const at::Tensor& squares = squares_.of(gradient, layout);
    if (argument.position == 1) {
      return convolution_use(widened(input_, gradient), gradient, squares, argument.parameter,
                             shape_, layout);
    }
    const at::Tensor frames = layout.arrange(gradient.flatten(2));
    return stored_use(frames.sum({1, 3}), layout.length() * frames.size(3), squares);
  }

 private:
  // Where the padding of what a transposed convolution gives out reaches a stride, there is a patch
  // more than numbers that went in.
  [[nodiscard]] bool pads_a_place() const {
    return !std::ranges::equal(shape_.output_padding, shape_.stride, std::less<>());
  }

  at::Tensor input_;
  ConvolutionShape shape_;
  mutable SharedSquares squares_;
};

class EmbeddingOperation final : public Operation {
 public:
  EmbeddingOperation(at::Tensor indices, std::int64_t padding)
      : indices_(std::move(indices)), padding_(padding) {}

  [[nodiscard]] bool knows(const ParameterArgument& argument) const override {
    return !argument.transposed;
  }
  [[nodiscard]] std::int64_t row_dimensions(std::int64_t dimensions) const override {
    return dimensions - 1;
  }
  [[nodiscard]] std::unique_ptr<ParameterUse> use(const ParameterArgument& argument,
                                                  const at::Tensor& gradient,
                                                  const ExampleLayout& layout) const override {
    return embedding_use(indices_, gradient, argument.parameter.size(0), padding_, layout);
  }

 private:
  at::Tensor indices_;
  std::int64_t padding_;
};

// weight * normalized + bias over the last dimensions.
class LayerNormOperation final : public Operation {
 public:
  LayerNormOperation(at::Tensor input, at::Tensor mean, at::Tensor deviation_inverse,
                     std::int64_t dimensions)
      : input_(std::move(input)),
        mean_(std::move(mean)),
        deviation_inverse_(std::move(deviation_inverse)),
        dimensions_(dimensions) {}

  [[nodiscard]] bool knows(const ParameterArgument& argument) const override {
    return !argument.transposed && input_.defined();
  }
  [[nodiscard]] std::int64_t row_dimensions(std::int64_t dimensions) const override {
    return dimensions - dimensions_;
  }
  [[nodiscard]] std::unique_ptr<ParameterUse> use(const ParameterArgument& argument,
                                                  const at::Tensor& gradient,
                                                  const ExampleLayout& layout) const override {
    const at::Tensor by_row = gradient.reshape({layout.rows, -1});
    if (argument.position == 2) return row_sum_use(by_row, layout);
    const at::Tensor centred =
        widened(input_, gradient).reshape({layout.rows, -1}) - mean_.reshape({-1, 1});
    return row_sum_use(centred.mul_(deviation_inverse_.reshape({-1, 1})).mul_(by_row), layout);
  }

 private:
  at::Tensor input_;
  at::Tensor mean_;
  at::Tensor deviation_inverse_;
  std::int64_t dimensions_;
};

// weight * normalized + bias for each channel, normalized over groups of channels.
class GroupNormOperation final : public Operation {
 public:
  GroupNormOperation(at::Tensor input, at::Tensor mean, at::Tensor deviation_inverse)
      : input_(std::move(input)),
        mean_(std::move(mean)),
        deviation_inverse_(std::move(deviation_inverse)) {}

  [[nodiscard]] bool knows(const ParameterArgument& argument) const override {
    return !argument.transposed && input_.defined();
  }
  [[nodiscard]] std::int64_t row_dimensions(std::int64_t) const override { return 1; }
  [[nodiscard]] std::unique_ptr<ParameterUse> use(const ParameterArgument& argument,
                                                  const at::Tensor& gradient,
                                                  const ExampleLayout& layout) const override {
    at::Tensor terms = gradient.reshape({layout.rows, gradient.size(1), -1});
    if (argument.position == 1) {
      const at::Tensor grouped =
          widened(input_, gradient).reshape({layout.rows, mean_.size(1), -1});
      const at::Tensor normalized =
          (grouped - mean_.unsqueeze(2)).mul_(deviation_inverse_.unsqueeze(2));
      terms = normalized.view(terms.sizes()) * terms;
    }
    const at::Tensor frames = layout.arrange(terms);
    return stored_use(frames.sum({1, 3}), layout.length() * frames.size(3),
                      squares_by_example(frames));
  }

 private:
  at::Tensor input_;
  at::Tensor mean_;
  at::Tensor deviation_inverse_;
};

// A parameter that is added to every row, or multiplies it.
class BroadcastOperation final : public Operation {
 public:
  // `factors` are what the gradients of the two arguments are multiplied by, undefined for 1.
  BroadcastOperation(std::array<at::Tensor, 2> factors, const at::Tensor& parameter,
                     std::vector<std::int64_t> shape)
      : factors_(std::move(factors)), width_(essential(parameter)), shape_(std::move(shape)) {}

  [[nodiscard]] bool knows(const ParameterArgument& argument) const override {
    return !argument.transposed && essential(argument.parameter) == width_ &&
           width_.size() < shape_.size() &&
           std::equal(width_.rbegin(), width_.rend(), shape_.rbegin());
  }
  [[nodiscard]] std::int64_t row_dimensions(std::int64_t dimensions) const override {
    return dimensions - static_cast<std::int64_t>(width_.size());
  }
  [[nodiscard]] std::unique_ptr<ParameterUse> use(const ParameterArgument& argument,
                                                  const at::Tensor& gradient,
                                                  const ExampleLayout& layout) const override {
    const at::Tensor& factor = factors_.at(argument.position);
    const at::Tensor terms = factor.defined() ? gradient * widened(factor, gradient) : gradient;
    return row_sum_use(terms.reshape({layout.rows, -1}), layout);
  }

 private:
  // Without the ones in front, which broadcast as if they were not there.
  static std::vector<std::int64_t> essential(const at::Tensor& parameter) {
    const auto sizes = parameter.sizes();
    return {std::ranges::find_if(sizes, [](std::int64_t size) { return size != 1; }), sizes.end()};
  }

  std::array<at::Tensor, 2> factors_;
  std::vector<std::int64_t> width_;
  std::vector<std::int64_t> shape_;
};

bool is_one(const at::Scalar& scalar) { return scalar.toComplexDouble() == 1.0; }

std::unique_ptr<Operation> from_addmm(Node& node, const at::Tensor& /*parameter*/) {
  auto& addmm = dynamic_cast<nodes::AddmmBackward0&>(node);
  if (!is_one(addmm.alpha) || !is_one(addmm.beta)) return nullptr;
  return std::make_unique<LinearOperation>(addmm.mat1_.unpack(), 2, true);
}

std::unique_ptr<Operation> from_mm(Node& node, const at::Tensor& /*parameter*/) {
  auto& mm = dynamic_cast<nodes::MmBackward0&>(node);
  return std::make_unique<LinearOperation>(mm.self_.unpack(), 1, false);
}

std::unique_ptr<Operation> from_convolution(Node& node, const at::Tensor& /*parameter*/) {
  auto& convolution = dynamic_cast<nodes::ConvolutionBackward0&>(node);
  // One number may stand for all dimensions of space.
  const std::size_t dimensions = output_shape(node).size() - 2;
  const auto in_space = [&](const std::vector<c10::SymInt>& given) {
    std::vector<std::int64_t> sizes = sizes_of(given);
    if (sizes.size() == 1) sizes.resize(dimensions, sizes.front());
    return sizes;
  };
  ConvolutionShape shape{.stride = in_space(convolution.stride),
                         .padding = in_space(convolution.padding),
                         .dilation = in_space(convolution.dilation),
                         .output_padding = in_space(convolution.output_padding),
                         .transposed = convolution.transposed,
                         .groups = convolution.groups.expect_int()};
  return std::make_unique<ConvolutionOperation>(convolution.input_.unpack(), std::move(shape));
}

std::unique_ptr<Operation> from_embedding(Node& node, const at::Tensor& /*parameter*/) {
  auto& embedding = dynamic_cast<nodes::EmbeddingBackward0&>(node);
  return std::make_unique<EmbeddingOperation>(embedding.indices_.unpack(),
                                              embedding.padding_idx.expect_int());
}

std::unique_ptr<Operation> from_layer_norm(Node& node, const at::Tensor& /*parameter*/) {
  auto& norm = dynamic_cast<nodes::NativeLayerNormBackward0&>(node);
  const auto self = node.getptr();
  return std::make_unique<LayerNormOperation>(
      norm.input_.unpack(), norm.result1_.unpack(self), norm.result2_.unpack(self),
      static_cast<std::int64_t>(norm.normalized_shape.size()));
}

std::unique_ptr<Operation> from_group_norm(Node& node, const at::Tensor& /*parameter*/) {
  auto& norm = dynamic_cast<nodes::NativeGroupNormBackward0&>(node);
  const auto self = node.getptr();
  return std::make_unique<GroupNormOperation>(norm.input_.unpack(), norm.result1_.unpack(self),
                                              norm.result2_.unpack(self));
}

std::unique_ptr<Operation> from_add(Node& node, const at::Tensor& parameter) {
  auto& add = dynamic_cast<nodes::AddBackward0&>(node);
  if (!is_one(add.alpha)) return nullptr;
  return std::make_unique<BroadcastOperation>(std::array<at::Tensor, 2>{}, parameter,
                                              output_shape(node));
}

std::unique_ptr<Operation> from_mul(Node& node, const at::Tensor& parameter) {
  auto& mul = dynamic_cast<nodes::MulBackward0&>(node);
  std::array<at::Tensor, 2> factors{mul.other_.unpack(), mul.self_.unpack()};
  return std::make_unique<BroadcastOperation>(std::move(factors), parameter, output_shape(node));
}

std::unique_ptr<Operation> from_expand(Node& node, const at::Tensor& parameter) {
  return std::make_unique<BroadcastOperation>(std::array<at::Tensor, 2>{}, parameter,
                                              output_shape(node));
}

std::unique_ptr<Operation> from_embedding_bag(Node& node, const at::Tensor& /*parameter*/) {
  return embedding_bag_operation(node);
}

std::unique_ptr<Operation> from_gates(Node& node, const at::Tensor& /*parameter*/) {
  return gates_operation(dynamic_cast<GatesBackward&>(node));
}

// A batch normalization that uses the statistics of the batch. (An instance normalization is one
// over a batch of one image, of which the channels of all examples are the channels.)
template <class BatchNorm>
bool mixes(Node& node) {
  auto* norm = dynamic_cast<BatchNorm*>(&node);
  return norm != nullptr && norm->training && norm->input_.unpack().size(0) > 1;
}

template <class Embedding>
bool scales_by_frequency(Node& node) {
  auto* embedding = dynamic_cast<Embedding*>(&node);
  return embedding != nullptr && embedding->scale_grad_by_freq;
}

}  // namespace

std::vector<std::int64_t> output_shape(Node& node) {
  const auto shape = node.input_metadata(0).shape_as_dim_vector();
  return sizes_of({shape.begin(), shape.end()});
}

std::unique_ptr<Operation> recognize(Node& node, const at::Tensor& parameter) {
  using Recognizer = std::unique_ptr<Operation> (*)(Node&, const at::Tensor&);
  static const std::map<std::string, Recognizer, std::less<>> recognizers{
      {"AddmmBackward0", from_addmm},
      {"MmBackward0", from_mm},
      {"ConvolutionBackward0", from_convolution},
      {"EmbeddingBackward0", from_embedding},
      {"NativeLayerNormBackward0", from_layer_norm},
      {"NativeGroupNormBackward0", from_group_norm},
      {"AddBackward0", from_add},
      {"MulBackward0", from_mul},
      {"ExpandBackward0", from_expand},
      {"RepeatBackward0", repeat_operation},
      {"EmbeddingBagBackward0", from_embedding_bag},
      {GatesBackward::kName, from_gates},
  };
  const auto known = recognizers.find(node.name());
  return known == recognizers.end() ? nullptr : known->second(node, parameter);
}

std::unique_ptr<Operation> shared_lookup(Node& broadcast, Node& embedding) {
  auto* const lookup = dynamic_cast<nodes::EmbeddingBackward0*>(&embedding);
  if (lookup == nullptr) return nullptr;
  auto* const add = dynamic_cast<nodes::AddBackward0*>(&broadcast);
  const bool repeats =
      (add != nullptr && is_one(add->alpha)) || broadcast.name() == "ExpandBackward0";
  std::vector<std::int64_t> from = output_shape(embedding);
  from.erase(from.begin(), std::ranges::find_if(from, [](std::int64_t n) { return n != 1; }));
  std::vector<std::int64_t> to = output_shape(broadcast);
  if (!repeats || from.size() >= to.size() ||
      !std::equal(from.rbegin(), from.rend(), to.rbegin())) {
    return nullptr;
  }
  to.pop_back();
  return std::make_unique<EmbeddingOperation>(lookup->indices_.unpack().expand(to),
                                              lookup->padding_idx.expect_int());
}

Result<void> check_separate(Node& node) {
  if (mixes<nodes::NativeBatchNormBackward0>(node) ||
      mixes<nodes::NativeBatchNormLegitBackward0>(node) ||
      mixes<nodes::CudnnBatchNormBackward0>(node)) {
    return bad_input("batch normalization mixes the examples of a batch", node.name(),
                     "use group or layer normalization, or put the layer into eval mode");
  }
  if (scales_by_frequency<nodes::EmbeddingBackward0>(node) ||
      scales_by_frequency<nodes::EmbeddingBagBackward0>(node)) {
    return bad_input("gradients scaled by frequency depend on the other examples of a batch",
                     node.name(), "make the embedding without scale_grad_by_freq");
  }
  return {};
}

}  // namespace tacit::train
