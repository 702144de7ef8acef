#include "tacit/train/scattering.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/fft_fft2.h>
#include <ATen/ops/fft_ifft2.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/polar.h>
#include <ATen/ops/reflection_pad2d.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace tacit::train {
namespace {

// The mother wavelet: its frequency, the width of its envelope along the wave, and how much
// narrower the envelope is along than across, times the number of angles. A wavelet of scale j is
// 2^j times as large.
constexpr double kFrequency = 3 * std::numbers::pi / 4;
constexpr double kWidth = 0.8;
constexpr double kSlant = 4;

// Where samples lie, seen from sample 0, if they are `shift` further on than their number says; on
// a circle of `size` samples that is unrolled `kTurns` times in either direction, for a wavelet may
// be wider than the circle.
constexpr std::int64_t kTurns = 2;

at::Tensor places(std::int64_t size, double shift) {
  return at::arange(-kTurns * size, kTurns * size, at::kDouble) + shift;
}

// What comes to lie on the same place of the circle.
at::Tensor rolled_up(const at::Tensor& unrolled, std::int64_t height, std::int64_t width) {
  return unrolled.view({2 * kTurns, height, 2 * kTurns, width}).sum(at::IntArrayRef{0, 2});
}

// A Morlet wavelet exp(-|x|^2 / 2)(exp(i f x) - b), where |x| is stretched across the wave, the sum
// over the envelope is 1 and b is such that the sum over the wavelet is 0. Samples are 2^level
// pixels apart and lie in the middle of a square; the convolution is asked for in the middle of the
// larger squares of `scale`, half of them further on.
at::Tensor wavelet(std::int64_t height, std::int64_t width, std::int64_t level, std::int64_t scale,
                   double angle, double slant) {
  const double step = std::exp2(static_cast<double>(level));
  const double size = std::exp2(static_cast<double>(scale));
  const double shift = (size / step - 1) / 2;
  const at::Tensor y = step * places(height, shift).unsqueeze(1);
  const at::Tensor x = step * places(width, shift).unsqueeze(0);
  const at::Tensor along = std::cos(angle) * x + std::sin(angle) * y;
  const at::Tensor across = std::cos(angle) * y - std::sin(angle) * x;
  const at::Tensor distance = along.square() + (slant * across).square();
  at::Tensor envelope = at::exp(distance / (-2 * size * size * kWidth * kWidth));
  envelope = envelope / envelope.sum();
  const at::Tensor wave = at::polar(envelope, kFrequency / size * along);
  return rolled_up(wave - wave.sum() * envelope, height, width);
}

// A row of weights for each square: a Gaussian around its middle, over samples in the middle of
// squares of 2^level pixels, `margin` pixels before the image and behind it.
at::Tensor mean_weights(std::int64_t side, std::int64_t level, std::int64_t scales,
                        std::int64_t margin) {
  const double step = std::exp2(static_cast<double>(level));
  const double square = std::exp2(static_cast<double>(scales));
  const double width = kWidth * square / 2;
  const at::Tensor middles =
      at::arange(side >> scales, at::kDouble) * square + (square - 1) / 2 + margin;
  const at::Tensor samples =
      at::arange((side + 2 * margin) >> level, at::kDouble) * step + (step - 1) / 2;
  const at::Tensor weights =
      at::exp((middles.unsqueeze(1) - samples.unsqueeze(0)).square() / (-2 * width * width));
  return (weights / weights.sum(1, true)).to(at::kFloat);
}

// Where the coefficients of a mirrored image are found: a wave of angle a becomes one of -a, which
// by its modulus is that of pi - a.
at::Tensor mirror_of(const ScatteringOptions& options) {
  const std::int64_t angles = options.angles;
  const auto mirrored = [&](std::int64_t angle) { return (angles - angle) % angles; };
  std::vector<std::int64_t> out{0};
  for (std::int64_t i = 0; i < options.scales; ++i) {
    const auto first = static_cast<std::int64_t>(out.size());
    for (std::int64_t a = 0; a < angles; ++a) out.push_back(first + mirrored(a));
  }
  for (std::int64_t i = 0; i < options.scales * (options.scales - 1) / 2; ++i) {
    const auto first = static_cast<std::int64_t>(out.size());
    for (std::int64_t a = 0; a < angles; ++a) {
      for (std::int64_t b = 0; b < angles; ++b) {
        out.push_back(first + angles * mirrored(a) + mirrored(b));
      }
    }
  }
  return at::tensor(out, at::kLong);
}

std::int64_t square_of(const ScatteringOptions& options) {
  return std::int64_t{1} << options.scales;
}

}  // namespace

Result<Scattering> Scattering::create(std::int64_t height, std::int64_t width, at::Device device,
                                      const ScatteringOptions& options) {
  constexpr std::int64_t kMostScales = 6;
  constexpr std::int64_t kMostAngles = 64;
  if (options.scales < 1 || options.scales > kMostScales || options.angles < 2 ||
      options.angles > kMostAngles) {
    return bad_input(fmt::format("no scattering transform has {} scales and {} angles",
                                 options.scales, options.angles),
                     "scattering",
                     fmt::format("take 1 to {} scales and 2 to {} angles; 2 and 8 are usual",
                                 kMostScales, kMostAngles));
  }
  const std::int64_t square = square_of(options);
  if (height % square != 0 || width % square != 0 || std::min(height, width) < 2 * square) {
    return bad_input(
        fmt::format("images of {} by {} cannot be cut into squares of {} pixels, two at least",
                    height, width, square),
        "scattering",
        fmt::format("make both sides multiples of {}, {} at least: resize or pad the images",
                    square, 2 * square));
  }
  return Scattering(height, width, device, options);
}

Scattering::Scattering(std::int64_t height, std::int64_t width, at::Device device,
                       const ScatteringOptions& options)
    : height_(height), width_(width), options_(options), mirror_(mirror_of(options).to(device)) {
  const std::int64_t margin = square_of(options);
  const double slant = kSlant / static_cast<double>(options.angles);
  for (std::int64_t level = 0; level < options.scales; ++level) {
    Level made;
    for (std::int64_t scale = level; scale < options.scales; ++scale) {
      std::vector<at::Tensor> turned;
      for (std::int64_t i = 0; i < options.angles; ++i) {
        const double angle =
            std::numbers::pi * static_cast<double>(i) / static_cast<double>(options.angles);
        turned.push_back(wavelet((height + 2 * margin) >> level, (width + 2 * margin) >> level,
                                 level, scale, angle, slant));
      }
      made.wavelets.push_back(at::fft_fft2(at::stack(turned)).to(at::kComplexFloat).to(device));
    }
    made.mean_of_rows = mean_weights(height, level, options.scales, margin).to(device);
    made.mean_of_columns =
        mean_weights(width, level, options.scales, margin).t().contiguous().to(device);
    levels_.push_back(std::move(made));
  }
}

std::int64_t Scattering::coefficients() const { return mirror_.size(0); }

std::vector<std::int64_t> Scattering::shape(std::int64_t channels) const {
  const std::int64_t square = square_of(options_);
  return {channels * coefficients(), height_ / square, width_ / square};
}

at::Tensor Scattering::moduli(const at::Tensor& maps, std::int64_t level,
                              std::int64_t scale) const {
  const at::Tensor& spectra =
      levels_[static_cast<std::size_t>(level)].wavelets[static_cast<std::size_t>(scale - level)];
  at::Tensor product = at::fft_fft2(maps).unsqueeze(1) * spectra;
  if (scale > level) {
    // To take every k-th sample is to fold the spectrum.
    const std::int64_t every = std::int64_t{1} << (scale - level);
    product = product
                  .view({maps.size(0), options_.angles, every, maps.size(1) / every, every,
                         maps.size(2) / every})
                  .mean(at::IntArrayRef{2, 4});
  }
  return at::fft_ifft2(product).abs();
}

at::Tensor Scattering::means(const at::Tensor& maps, std::int64_t level) const {
  const Level& from = levels_[static_cast<std::size_t>(level)];
  return at::matmul(from.mean_of_rows, at::matmul(maps, from.mean_of_columns));
}

at::Tensor Scattering::features(const at::Tensor& images) const {
  const c10::NoGradGuard no_grad;
  const std::int64_t margin = square_of(options_);
  const at::Tensor wide =
      at::reflection_pad2d(images.to(at::kFloat), {margin, margin, margin, margin});
  const at::Tensor maps = wide.flatten(0, 1);
  std::vector<at::Tensor> first{means(maps.unsqueeze(1), 0)};
  std::vector<at::Tensor> second;
  for (std::int64_t scale = 0; scale < options_.scales; ++scale) {
    const at::Tensor waves = moduli(maps, 0, scale);
    first.push_back(means(waves, scale));
    // The second order is by far the largest, so it is made for one angle after the other.
    for (std::int64_t larger = scale + 1; larger < options_.scales; ++larger) {
      for (std::int64_t angle = 0; angle < options_.angles; ++angle) {
        second.push_back(means(moduli(waves.select(1, angle), scale, larger), larger));
      }
    }
  }
  first.insert(first.end(), second.begin(), second.end());
  std::vector<std::int64_t> out = shape(images.size(1));
  out.insert(out.begin(), images.size(0));
  return at::cat(first, 1).view(out);
}

at::Tensor Scattering::mirrored(const at::Tensor& features) const {
  const std::int64_t channels = features.size(1) / coefficients();
  const at::Tensor firsts = at::arange(channels, mirror_.options()).unsqueeze(1) * coefficients();
  return features.index_select(1, (firsts + mirror_).view({-1})).flip({3});
}

}  // namespace tacit::train
