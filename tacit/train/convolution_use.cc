#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "tacit/train/parameter_use_internal.h"
#include "tacit/train/patches_internal.h"

namespace tacit::train {
namespace {

// A convolution is a linear map of patches: with the patches of an image as the columns of P [k,
// places] and the gradients G [out, places], the gradient of the weight is G P'. Of a transposed
// convolution input and gradient change places: the patches are the gradient's. Convolutions in one
// dimension are those of images with one line.
class ConvolutionUse final : public ParameterUse {
 public:
  ConvolutionUse(at::Tensor patched, at::Tensor other, at::Tensor squares, at::Tensor weight,
                 ConvolutionShape shape, ExampleLayout layout)
      : patched_(std::move(patched)),
        other_(std::move(other)),
        gradient_squares_(std::move(squares)),
        weight_(std::move(weight)),
        shape_(std::move(shape)),
        layout_(std::move(layout)) {
    const auto pair = [](const std::vector<std::int64_t>& sizes) {
      return std::array<std::int64_t, 2>{sizes[0], sizes[1]};
    };
    patches_ = {.kernel = {weight_.size(2), weight_.size(3)},
                .stride = pair(shape_.stride),
                .padding = pair(shape_.padding),
                .dilation = pair(shape_.dilation)};
  }

  [[nodiscard]] at::Tensor per_example(std::int64_t from, std::int64_t to) const override {
    if (kept_.defined()) return kept_.slice(0, from, to);
    at::Tensor gradients = other_.new_empty({to - from, weight_.numel()});
    at::Tensor room;
    multiply_out(from, to, gradients, room);
    return gradients;
  }

  [[nodiscard]] at::Tensor error() const override {
    const std::int64_t terms = places() * layout_.length() + 2;
    return at::sqrt(input_squares() * gradient_squares_ * gross_scale()) *
           rounding_bound(terms, other_.scalar_type());
  }

  SquaredNorms squared_norms() override {
    const std::int64_t numbers = layout_.examples * weight_.numel();
    if (worth_keeping(numbers, patched_.numel() + other_.numel(), places() * layout_.length())) {
      return direct_norms(true);
    }
    return prefers_gram() ? gram_norms() : direct_norms(false);
  }

  [[nodiscard]] at::Tensor weighted_sum(const at::Tensor& factors) const override {
    const at::Tensor by_example = factors.to(weight_.scalar_type());
    if (kept_.defined()) return at::mv(kept_.t(), by_example);
    const at::Tensor by_frame = by_example.repeat_interleave(layout_.length());
    const at::Tensor other = other_ * by_frame.view({-1, 1, 1, 1});
    const at::Tensor& input = shape_.transposed ? other : patched_;
    const at::Tensor& gradient = shape_.transposed ? patched_ : other;
    const auto sums = at::convolution_backward(
        gradient, input, weight_, at::nullopt, shape_.stride, shape_.padding, shape_.dilation,
        shape_.transposed, shape_.output_padding, shape_.groups, {false, true, false});
    return std::get<1>(sums).flatten();
  }

  void drop(const at::Tensor& marked) override {
    if (kept_.defined()) {
      kept_ = without(kept_, marked);
      return;
    }
    const at::Tensor frames = marked.repeat_interleave(layout_.length());
    patched_ = without(patched_, frames);
    other_ = without(other_, frames);
  }

 private:
  [[nodiscard]] std::int64_t places() const { return other_.size(2) * other_.size(3); }
  [[nodiscard]] std::int64_t patch_size() const {
    return patched_.size(1) * patches_.kernel_size();
  }
  // libtorch's own kernel makes the gradients of many examples at once, each a group of one
  // convolution. It copies no patches, and is the quicker way where these are many and large.
  [[nodiscard]] bool multiplies_by_groups() const {
    constexpr std::int64_t kMany = 128;
    constexpr std::int64_t kLarge = 32;
    return other_.is_cpu() && other_.scalar_type() == at::kFloat && !shape_.transposed &&
           shape_.groups == 1 && layout_.length() == 1 && places() >= kMany &&
           patch_size() > kLarge;
  }

  // Of which the gradients are made together.
  [[nodiscard]] std::int64_t chunk() const {
    // Numbers that the cache holds while the kernel orders them in its own way.
    constexpr std::int64_t kGrouped = 3 << 18;
    const std::int64_t numbers = patched_[0].numel() + other_[0].numel() + 2 * weight_.numel();
    const std::int64_t examples =
        multiplies_by_groups()
            ? std::max<std::int64_t>(1, kGrouped / numbers)
            : examples_at_once(layout_.length() * patch_size() * places() + weight_.numel(),
                               patched_.numel() + other_.numel(), other_.device());
    return std::min(layout_.examples, examples);
  }

  // `room` is for patches, made where it is missing or too small.
  void multiply_out(std::int64_t from, std::int64_t to, const at::Tensor& gradients,
                    at::Tensor& room) const {
    if (multiplies_by_groups()) {
      multiply_groups(from, to, gradients);
    } else {
      multiply_patches(from, to, gradients, room);
    }
  }

  void multiply_groups(std::int64_t from, std::int64_t to, const at::Tensor& gradients) const {
    const std::int64_t examples = to - from;
    const auto as_groups = [&](const at::Tensor& images) {
      return images.slice(0, from, to)
          .reshape({1, examples * images.size(1), images.size(2), images.size(3)});
    };
    std::vector<std::int64_t> sizes = weight_.sizes().vec();
    sizes[0] *= examples;
    // Of the weight the kernel asks the shape alone.
    const auto sums =
        at::convolution_backward(as_groups(other_), as_groups(patched_), weight_.new_empty(sizes),
                                 at::nullopt, shape_.stride, shape_.padding, shape_.dilation, false,
                                 shape_.output_padding, examples, {false, true, false});
    gradients.copy_(std::get<1>(sums).view({examples, -1}));
  }

  void multiply_patches(std::int64_t from, std::int64_t to, const at::Tensor& gradients,
                        at::Tensor& room) const {
    const std::int64_t frames = layout_.length();
    const std::int64_t images = (to - from) * frames;
    if (!room.defined() || room.size(0) < images) {
      room = patched_.new_empty({images, patch_size(), places()});
    }
    const at::Tensor columns = room.slice(0, 0, images);
    copy_patches(patched_.slice(0, from * frames, to * frames), patches_, columns);
    const std::int64_t maps = columns.size(0) * shape_.groups;
    const at::Tensor other = other_.slice(0, from * frames, to * frames);
    const at::Tensor left = other.reshape({maps, other.size(1) / shape_.groups, places()});
    const at::Tensor right = columns.view({maps, patch_size() / shape_.groups, places()});
    if (frames == 1) {
      at::Tensor product = gradients.view({maps, left.size(1), right.size(1)});
      at::bmm_out(product, left, right.transpose(1, 2));
    } else {
      const at::Tensor product = at::bmm(left, right.transpose(1, 2));
      gradients.copy_(product.view({to - from, frames, -1}).sum(1));
    }
  }

  SquaredNorms direct_norms(bool keep) {
    const at::Tensor kept =
        keep ? other_.new_empty({layout_.examples, weight_.numel()}) : at::Tensor();
    const at::Tensor squares =
        squares_in_chunks({.examples = layout_.examples,
                           .numbers = weight_.numel(),
                           .at_once = chunk(),
                           .by_thread = other_.is_cpu() && !multiplies_by_groups()},
                          other_, kept,
                          [&](std::int64_t from, std::int64_t to, const at::Tensor& gradients,
                              at::Tensor& room) { multiply_out(from, to, gradients, room); });
    const std::int64_t terms = places() * layout_.length() + 2;
    SquaredNorms norms{
        .computed = squares,
        .left = input_squares(),
        .right = gradient_squares_,
        .rounding = std::sqrt(gross_scale()) * rounding_bound(terms, other_.scalar_type())};
    if (keep) {
      kept_ = kept;
      patched_.reset();
      other_.reset();
    }
    return norms;
  }

  // In multiply-adds of one example, a number that is copied or added taken for a few.
  [[nodiscard]] bool prefers_gram() const {
    constexpr std::int64_t kCopied = 8;
    const bool possible = shape_.groups == 1 && layout_.length() == 1;
    const std::int64_t pixels = patched_.size(2) * patched_.size(3);
    const std::int64_t gram = pixels * pixels * (patched_.size(1) + 2 * kCopied) +
                              places() * places() * (other_.size(1) + kCopied);
    const std::int64_t direct = places() * (weight_.numel() + kCopied * patch_size());
    return possible && gram < direct;
  }

  // As for linear maps: the sum over places p and q of the inner products of patches times those of
  // gradients.
  [[nodiscard]] SquaredNorms gram_norms() const {
    const std::int64_t pixels = patched_.size(2) * patched_.size(3);
    const std::int64_t at_once =
        examples_at_once(2 * (pixels * pixels + places() * places()),
                         patched_.numel() + other_.numel(), other_.device());
    std::vector<at::Tensor> squares;
    for (std::int64_t from = 0; from < layout_.examples; from += at_once) {
      const std::int64_t to = std::min(layout_.examples, from + at_once);
      const at::Tensor inputs = patch_products(patched_.slice(0, from, to), patches_);
      const at::Tensor other = other_.slice(0, from, to).flatten(2);
      squares.push_back(dots_by_example(at::bmm(other.transpose(1, 2), other), inputs));
    }
    const std::int64_t terms =
        patched_.size(1) + other_.size(1) + patches_.kernel[0] + patches_.kernel[1] + kDotTerms;
    const double lost = gross_scale() * std::max(lost_squares(patched_), lost_squares(other_));
    return {.computed = squares.size() == 1 ? squares.front() : at::cat(squares),
            .left = input_squares(),
            .right = gradient_squares_,
            .rounding = gross_scale() * rounding_bound(terms, other_.scalar_type()),
            .by_inner_products = true,
            .left_lost = lost,
            .right_lost = lost};
  }

  [[nodiscard]] at::Tensor input_squares() const {
    const at::Tensor& input = shape_.transposed ? other_ : patched_;
    return squares_by_example(input.unflatten(0, {layout_.examples, layout_.length()}));
  }
  // The square of what bounds the sum over places of |patch| |gradient| is so many times the
  // squares of both: a number of the patched side is in at most as many patches as the kernel has
  // places.
  [[nodiscard]] double gross_scale() const { return static_cast<double>(patches_.kernel_size()); }

  at::Tensor patched_;
  at::Tensor other_;
  at::Tensor gradient_squares_;
  at::Tensor weight_;
  ConvolutionShape shape_;
  PatchShape patches_;
  ExampleLayout layout_;  // example by example: the tensors are arranged so
  at::Tensor kept_;       // gradients, where they are kept in place of patched_ and other_
};

// A line as an image of one line.
at::Tensor as_image(const at::Tensor& values) {
  return values.dim() == 3 ? values.unsqueeze(2) : values;
}

ConvolutionShape in_two_dimensions(ConvolutionShape shape) {
  if (shape.stride.size() == 2) return shape;
  shape.stride.insert(shape.stride.begin(), 1);
  shape.padding.insert(shape.padding.begin(), 0);
  shape.dilation.insert(shape.dilation.begin(), 1);
  shape.output_padding.insert(shape.output_padding.begin(), 0);
  return shape;
}

}  // namespace

std::unique_ptr<ParameterUse> convolution_use(const at::Tensor& input, const at::Tensor& gradient,
                                              at::Tensor squares, at::Tensor weight,
                                              ConvolutionShape shape, const ExampleLayout& layout) {
  at::Tensor in = as_image(layout.arrange(input).flatten(0, 1));
  at::Tensor out = as_image(layout.arrange(gradient).flatten(0, 1));
  if (shape.transposed) std::swap(in, out);
  if (weight.dim() == 3) weight = as_image(weight);
  return std::make_unique<ConvolutionUse>(std::move(in), std::move(out), std::move(squares),
                                          std::move(weight), in_two_dimensions(std::move(shape)),
                                          layout);
}

}  // namespace tacit::train
