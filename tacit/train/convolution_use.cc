#include <ATen/ATen.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tacit/train/parameter_use_internal.h"

namespace tacit::train {
namespace {

// A convolution is a linear map of patches: with the patches of an image as the columns of P [k,
// places] and the gradients G [out, places], the gradient of the weight is G P'. Of a transposed
// convolution input and gradient change places: the patches are the gradient's.
class ConvolutionUse final : public ParameterUse {
 public:
  ConvolutionUse(at::Tensor patched, at::Tensor other, at::Tensor weight, ConvolutionShape shape,
                 ExampleLayout layout)
      : patched_(std::move(patched)),
        other_(std::move(other)),
        weight_(std::move(weight)),
        shape_(std::move(shape)),
        layout_(layout) {}

  [[nodiscard]] at::Tensor per_example(std::int64_t from, std::int64_t to) const override {
    if (stored_.defined()) return stored_.slice(0, from, to);
    const std::int64_t frames = layout_.length();
    const std::int64_t groups = shape_.groups;
    const at::Tensor patches = patches_of(patched_.slice(0, from * frames, to * frames));
    const at::Tensor other = other_.slice(0, from * frames, to * frames).flatten(2);
    const at::Tensor product = at::matmul(other.unflatten(1, {groups, -1}),
                                          patches.unflatten(1, {groups, -1}).transpose(2, 3));
    if (frames == 1) return product.flatten(1);
    return product.reshape({to - from, frames, -1}).sum(1);
  }

  [[nodiscard]] at::Tensor error() const override {
    const std::int64_t terms = places() * layout_.length() + 2;
    return gross() * rounding_bound(terms, other_.scalar_type());
  }

  SquaredNorms squared_norms() override {
    const std::int64_t chunk = examples_at_once(layout_.length() * patch_size() * places());
    const bool keep = keeps_gradients();
    std::vector<at::Tensor> squares;
    std::vector<at::Tensor> kept;
    for (std::int64_t from = 0; from < layout_.examples; from += chunk) {
      const at::Tensor gradients = per_example(from, std::min(layout_.examples, from + chunk));
      squares.push_back(squares_by_example(gradients));
      if (keep) kept.push_back(gradients);
    }
    const SquaredNorms norms = SquaredNorms::of_gradients(at::cat(squares), error());
    if (keep) {
      stored_ = at::cat(kept);
      patched_.reset();
      other_.reset();
    }
    return norms;
  }

  [[nodiscard]] at::Tensor weighted_sum(const at::Tensor& factors) const override {
    const at::Tensor by_example = factors.to(weight_.scalar_type());
    if (stored_.defined()) return at::mv(stored_.t(), by_example);
    std::vector<std::int64_t> shape(static_cast<std::size_t>(other_.dim()), 1);
    shape[0] = layout_.rows;
    const at::Tensor by_frame = by_example.repeat_interleave(layout_.length()).view(shape);
    const at::Tensor other = other_ * by_frame;
    const at::Tensor& input = shape_.transposed ? other : patched_;
    const at::Tensor& gradient = shape_.transposed ? patched_ : other;
    const auto sums = at::convolution_backward(
        gradient, input, weight_, at::nullopt, shape_.stride, shape_.padding, shape_.dilation,
        shape_.transposed, shape_.output_padding, shape_.groups, {false, true, false});
    return std::get<1>(sums).flatten();
  }

  void drop(const at::Tensor& marked) override {
    if (stored_.defined()) {
      stored_ = without(stored_, marked);
      return;
    }
    const at::Tensor frames = marked.repeat_interleave(layout_.length());
    patched_ = without(patched_, frames);
    other_ = without(other_, frames);
  }

 private:
  [[nodiscard]] bool one_dimension() const { return weight_.dim() == 3; }
  [[nodiscard]] std::int64_t places() const {
    return other_.numel() / (other_.size(0) * other_.size(1));
  }
  [[nodiscard]] std::int64_t kernel_size() const {
    return weight_.numel() / (weight_.size(0) * weight_.size(1));
  }
  [[nodiscard]] std::int64_t patch_size() const { return patched_.size(1) * kernel_size(); }

  // Gradients no larger than what they are made of are worth keeping for the weighted sum.
  [[nodiscard]] bool keeps_gradients() const {
    return 2 * weight_.numel() * layout_.examples <= patched_.numel() + other_.numel();
  }

  [[nodiscard]] at::Tensor patches_of(const at::Tensor& images) const {
    const auto planar = [&](std::vector<std::int64_t> sizes, std::int64_t neutral) {
      if (one_dimension()) sizes.insert(sizes.begin(), neutral);
      return sizes;
    };
    return at::im2col(one_dimension() ? images.unsqueeze(2) : images,
                      planar(weight_.sizes().slice(2).vec(), 1), planar(shape_.dilation, 1),
                      planar(shape_.padding, 0), planar(shape_.stride, 1));
  }

  // A number of the patched side is in at most as many patches as the kernel has places.
  [[nodiscard]] at::Tensor gross() const {
    const auto kernel = static_cast<double>(kernel_size());
    const auto by_example = [&](const at::Tensor& frames) {
      return squares_by_example(frames.unflatten(0, {layout_.examples, layout_.length()}));
    };
    return at::sqrt(by_example(patched_) * by_example(other_) * kernel);
  }

  at::Tensor patched_;
  at::Tensor other_;
  at::Tensor weight_;
  ConvolutionShape shape_;
  ExampleLayout layout_;  // example by example: the tensors are arranged so
  at::Tensor stored_;     // gradients, where they are kept in place of the two above
};

}  // namespace

std::unique_ptr<ParameterUse> convolution_use(const at::Tensor& input, const at::Tensor& gradient,
                                              at::Tensor weight, ConvolutionShape shape,
                                              const ExampleLayout& layout) {
  at::Tensor in = layout.arrange(input).flatten(0, 1);
  at::Tensor out = layout.arrange(gradient).flatten(0, 1);
  if (shape.transposed) std::swap(in, out);
  return std::make_unique<ConvolutionUse>(std::move(in), std::move(out), std::move(weight),
                                          std::move(shape), layout);
}

}  // namespace tacit::train
