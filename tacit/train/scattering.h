#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "tacit/base/error.h"

namespace tacit::train {

// Of how many sizes the wavelets are, each twice the one before, and at how many angles.
struct ScatteringOptions {
  std::int64_t scales = 2;
  std::int64_t angles = 8;
};

// The scattering transform of images (Bruna and Mallat 2013; Oyallon and Mallat 2015): means of the
// image, of the moduli of its wavelet coefficients, and of the moduli of the wavelet coefficients
// of these, around the middle of every square of 2^scales pixels. It learns nothing, and what it
// makes of an image depends on that image alone: as features for private training it costs nothing,
// and it does better there than what a network can learn under noise (Tramèr and Boneh 2021).
//
// Wavelets are Morlet's; images go on by reflection beyond their borders. Samples lie in the middle
// of squares at every size, so that a mirrored image has mirrored features.
class Scattering {
 public:
  // For images of such a size. Both sides must be multiples of 2^scales, and at least twice that.
  static Result<Scattering> create(std::int64_t height, std::int64_t width, at::Device device,
                                   const ScatteringOptions& options = {});

  // How many numbers each square has in one channel: with 2 scales and 8 angles
  // 1 + 16 + 64 = 81, of the orders 0, 1 and 2.
  [[nodiscard]] std::int64_t coefficients() const;

  // Of the features of an image with so many channels: [channels * coefficients(), height /
  // 2^scales, width / 2^scales].
  [[nodiscard]] std::vector<std::int64_t> shape(std::int64_t channels) const;

  // Of images [n, channels, height, width] on the device: [n, shape(channels)].
  [[nodiscard]] at::Tensor features(const at::Tensor& images) const;
  // The features of the mirrored images, left to right, out of those of the images.
  [[nodiscard]] at::Tensor mirrored(const at::Tensor& features) const;

 private:
  // What takes a map, sampled in the middle of squares of 2^level pixels, further.
  struct Level {
    std::vector<at::Tensor> wavelets;  // spectra [angles, height, width], of this size and larger
    at::Tensor mean_of_rows;           // [squares, height]
    at::Tensor mean_of_columns;        // [width, squares]
  };

  Scattering(std::int64_t height, std::int64_t width, at::Device device,
             const ScatteringOptions& options);

  // Moduli of the coefficients of maps [n, height, width] of a level by the wavelets of a scale:
  // [n, angles, height, width] at the level of that scale.
  [[nodiscard]] at::Tensor moduli(const at::Tensor& maps, std::int64_t level,
                                  std::int64_t scale) const;
  // Of maps [n, maps, height, width], a mean for each square.
  [[nodiscard]] at::Tensor means(const at::Tensor& maps, std::int64_t level) const;

  std::int64_t height_;
  std::int64_t width_;
  ScatteringOptions options_;
  std::vector<Level> levels_;
  at::Tensor mirror_;  // where a coefficient of the mirrored image is found
};

}  // namespace tacit::train
