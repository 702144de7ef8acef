#include "tacit/train/volume_convolution_internal.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace tacit::train {
namespace {

std::int64_t product(at::IntArrayRef sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

// As for images: with the patches of a volume as the columns of P [k, places] and the gradients G
// [out, places], the gradient of the weight is G P'. Of a transposed convolution input and gradient
// change places.
class VolumeConvolutionUse final : public ParameterUse {
 public:
  VolumeConvolutionUse(at::Tensor patched, at::Tensor other, at::Tensor weight,
                       ConvolutionShape shape, ExampleLayout layout)
      : patched_(std::move(patched)),
        other_(std::move(other)),
        weight_(std::move(weight)),
        shape_(std::move(shape)),
        layout_(std::move(layout)) {}

  [[nodiscard]] at::Tensor per_example(std::int64_t from, std::int64_t to) const override {
    const std::int64_t frames = layout_.length();
    const at::Tensor patches = patches_of(patched_.slice(0, from * frames, to * frames));
    const at::Tensor other = other_.slice(0, from * frames, to * frames).flatten(2);
    const at::Tensor gradients =
        at::matmul(other.unflatten(1, {shape_.groups, -1}),
                   patches.unflatten(1, {shape_.groups, -1}).transpose(2, 3));
    return gradients.reshape({to - from, frames, -1}).sum(1);
  }

  // A number of the patched side is in at most as many patches as the kernel has places.
  [[nodiscard]] at::Tensor error() const override {
    const auto kernel = static_cast<double>(product(weight_.sizes().slice(2)));
    const auto by_example = [&](const at::Tensor& frames) {
      return squares_by_example(frames.unflatten(0, {layout_.examples, layout_.length()}));
    };
    const std::int64_t terms = places() * layout_.length() + 2;
    return at::sqrt(by_example(patched_) * by_example(other_) * kernel) *
           rounding_bound(terms, other_.scalar_type());
  }

  SquaredNorms squared_norms() override {
    const std::int64_t kernel = product(weight_.sizes().slice(2));
    const std::int64_t chunk =
        examples_at_once(layout_.length() * patched_.size(1) * kernel * places() + weight_.numel(),
                         patched_.numel() + other_.numel(), patched_.device());
    std::vector<at::Tensor> squares;
    for (std::int64_t from = 0; from < layout_.examples; from += chunk) {
      squares.push_back(
          squares_by_example(per_example(from, std::min(layout_.examples, from + chunk))));
    }
    return SquaredNorms::of_gradients(at::cat(squares), error());
  }

  [[nodiscard]] at::Tensor weighted_sum(const at::Tensor& factors) const override {
    const at::Tensor by_frame =
        factors.to(weight_.scalar_type()).repeat_interleave(layout_.length());
    const at::Tensor other = other_ * by_frame.view({-1, 1, 1, 1, 1});
    const auto sums = at::convolution_backward(
        shape_.transposed ? patched_ : other, shape_.transposed ? other : patched_, weight_,
        at::nullopt, shape_.stride, shape_.padding, shape_.dilation, shape_.transposed,
        shape_.output_padding, shape_.groups, {false, true, false});
    return std::get<1>(sums).flatten();
  }

  void drop(const at::Tensor& marked) override {
    const at::Tensor frames = marked.repeat_interleave(layout_.length());
    patched_ = without(patched_, frames);
    other_ = without(other_, frames);
  }

 private:
  [[nodiscard]] std::int64_t places() const { return product(other_.sizes().slice(2)); }

  // [n, channels, ...] to [n, channels * kernel, places]: a view of the padded volumes in which
  // both the kernel and its places have dimensions, copied.
  [[nodiscard]] at::Tensor patches_of(const at::Tensor& volumes) const {
    std::vector<std::int64_t> padding;
    for (auto side = shape_.padding.rbegin(); side != shape_.padding.rend(); ++side) {
      padding.insert(padding.end(), 2, *side);
    }
    const at::Tensor padded = at::constant_pad_nd(volumes, padding).contiguous();
    std::vector<std::int64_t> sizes = padded.sizes().slice(0, 2).vec();
    std::vector<std::int64_t> strides = padded.strides().slice(0, 2).vec();
    for (std::size_t i = 0; i < shape_.stride.size(); ++i) {
      sizes.push_back(weight_.sizes()[i + 2]);
      strides.push_back(padded.strides()[i + 2] * shape_.dilation[i]);
    }
    for (std::size_t i = 0; i < shape_.stride.size(); ++i) {
      sizes.push_back(other_.sizes()[i + 2]);
      strides.push_back(padded.strides()[i + 2] * shape_.stride[i]);
    }
    return padded.as_strided(sizes, strides).reshape({volumes.size(0), -1, places()});
  }

  at::Tensor patched_;
  at::Tensor other_;
  at::Tensor weight_;
  ConvolutionShape shape_;
  ExampleLayout layout_;  // example by example: the tensors are arranged so
};

}  // namespace

std::unique_ptr<ParameterUse> volume_convolution_use(const at::Tensor& input,
                                                     const at::Tensor& gradient, at::Tensor weight,
                                                     ConvolutionShape shape,
                                                     const ExampleLayout& layout) {
  at::Tensor in = layout.arrange(input).flatten(0, 1);
  at::Tensor out = layout.arrange(gradient).flatten(0, 1);
  if (shape.transposed) std::swap(in, out);
  return std::make_unique<VolumeConvolutionUse>(std::move(in), std::move(out), std::move(weight),
                                                std::move(shape), layout);
}

}  // namespace tacit::train
