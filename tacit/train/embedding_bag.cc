#include "tacit/train/embedding_bag_internal.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/generated/Functions.h>

#include <utility>

#include "tacit/train/half_precision_internal.h"

namespace tacit::train {
namespace {

using torch::autograd::generated::EmbeddingBagBackward0;

// Bags of different sizes, filled up to the largest with vectors that weigh nothing.
class EmbeddingBagOperation final : public Operation {
 public:
  EmbeddingBagOperation(at::Tensor indices, at::Tensor weights)
      : indices_(std::move(indices)), weights_(std::move(weights)) {}

  [[nodiscard]] bool knows(const ParameterArgument& argument) const override {
    return argument.position == 0 && !argument.transposed;
  }
  [[nodiscard]] std::int64_t row_dimensions(std::int64_t) const override { return 1; }
  [[nodiscard]] std::unique_ptr<ParameterUse> use(const ParameterArgument& argument,
                                                  const at::Tensor& gradient,
                                                  const ExampleLayout& layout) const override {
    const at::Tensor by_index =
        layout.put_in_order(gradient).unsqueeze(1) * layout.put_in_order(weights_).unsqueeze(2);
    ExampleLayout by_vector = layout.example_by_example();
    by_vector.rows *= indices_.size(1);
    by_vector.stride *= indices_.size(1);
    return embedding_use(layout.put_in_order(indices_), by_index.flatten(0, 1),
                         argument.parameter.size(0), -1, by_vector);
  }

 private:
  at::Tensor indices_;  // [bags, size]
  at::Tensor weights_;  // by which each vector goes into its bag
};

// How many indices each bag has. Offsets may name the end of the last bag.
at::Tensor bag_sizes(const at::Tensor& offsets, std::int64_t bags, std::int64_t indices) {
  const at::Tensor starts = offsets.slice(0, 0, bags);
  if (offsets.size(0) > bags) return offsets.slice(0, 1) - starts;
  return at::cat({starts.slice(0, 1), at::full({1}, indices, starts.options())}) - starts;
}

}  // namespace

std::unique_ptr<Operation> embedding_bag_operation(torch::autograd::Node& node) {
  enum Mode : std::int64_t { kSum, kMean };
  auto& bag = dynamic_cast<EmbeddingBagBackward0&>(node);
  const at::Tensor indices = bag.indices_.unpack().detach().to(at::kLong);
  if (bag.mode > kMean || indices.numel() == 0) return nullptr;
  const at::Tensor offsets = bag.offsets_.unpack().detach().to(at::kLong);
  const std::int64_t bags = output_shape(node).front();
  const at::Tensor sizes = bag_sizes(offsets, bags, indices.numel()).unsqueeze(1);
  const at::Tensor within = at::arange(sizes.max().item<std::int64_t>(), sizes.options());
  const at::Tensor places =
      (offsets.slice(0, 0, bags).unsqueeze(1) + within).clamp_max_(indices.numel() - 1);
  const at::Tensor looked_up = indices.index({places});
  const at::Tensor counts = (within < sizes).logical_and_(looked_up != bag.padding_idx);
  const auto type = c10::typeMetaToScalarType(node.input_metadata(0).dtype());
  at::Tensor weights = counts.to(is_half(type) ? at::kFloat : type);
  if (bag.mode == kMean) weights.div_(weights.sum(1, true).clamp_min_(1));
  if (const at::Tensor given = bag.per_sample_weights_.unpack(); given.defined()) {
    weights.mul_(widened(given.detach(), weights).index({places}));
  }
  return std::make_unique<EmbeddingBagOperation>(looked_up, weights);
}

}  // namespace tacit::train
