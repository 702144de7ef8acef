#include <ATen/ATen.h>

#include "tacit/train/half_precision_internal.h"

namespace tacit::train {

bool is_half(at::ScalarType type) { return type == at::kHalf || type == at::kBFloat16; }

void HalfPrecision::note(torch::autograd::Node& node) {
  for (std::uint32_t i = 0; i < node.num_inputs(); ++i) {
    const at::ScalarType type = c10::typeMetaToScalarType(node.input_metadata(i).dtype());
    if (!is_half(type)) continue;
    if (operation.empty()) operation = node.name();
    narrow = narrow || type == at::kHalf;
  }
}

Result<void> refuse_half(const HalfPrecision& found) {
  if (!found.is_any()) return {};
  return bad_input("numbers of half precision are on the way from the parameters to the losses",
                   found.operation,
                   "train without autocast, or with mixed_precision, which docs/training.md "
                   "describes");
}

at::Tensor widened_gradient(const at::Tensor& given, at::ScalarType type, double scale) {
  at::Tensor gradient = is_half(given.scalar_type()) ? given.to(type) : given;
  return scale == 1 ? gradient : gradient.mul(1 / scale);
}

at::Tensor widened(const at::Tensor& kept, const at::Tensor& gradient) {
  return is_half(kept.scalar_type()) ? kept.to(gradient.scalar_type()) : kept;
}

}  // namespace tacit::train
