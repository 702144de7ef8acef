#include "tacit/train/scattering.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/rand.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <vector>

namespace tacit::train {
namespace {

using ::testing::HasSubstr;
using Shape = std::vector<std::int64_t>;

constexpr double kPi = std::numbers::pi;

Scattering for_size(std::int64_t height, std::int64_t width,
                    const ScatteringOptions& options = {}) {
  return Scattering::create(height, width, at::kCPU, options).value();
}

at::Tensor some_images(at::IntArrayRef shape) {
  at::manual_seed(7);
  return at::rand(shape) * 2 - 1;
}

double largest(const at::Tensor& values) { return values.abs().max().item<double>(); }

// A grid of numbers, and where in the image (its first pixel is 0) its samples lie: `origin` and
// multiples of `step` from there, in both directions.
struct Grid {
  std::int64_t side;
  double origin;
  double step;
  std::vector<double> values;

  [[nodiscard]] double place(std::int64_t i) const {
    return origin + step * static_cast<double>(i);
  }
  double& at(std::int64_t row, std::int64_t column) {
    return values[static_cast<std::size_t>(row * side + column)];
  }
};

Grid empty_grid(std::int64_t side, double origin, double step) {
  return {side, origin, step, std::vector<double>(static_cast<std::size_t>(side * side))};
}

// The transform by its definition, number by number: what the class does by spectra and matrices.
class Direct {
 public:
  Direct(std::int64_t side, const ScatteringOptions& options)
      : side_(side), options_(options), square_(std::int64_t{1} << options.scales) {}

  std::vector<Grid> coefficients(const at::Tensor& image) {
    Grid pixels = empty_grid(side_ + 2 * square_, static_cast<double>(-square_), 1);
    const auto reflected = [&](std::int64_t i) {
      return i < 0 ? -i : i >= side_ ? 2 * (side_ - 1) - i : i;
    };
    for (std::int64_t row = 0; row < pixels.side; ++row) {
      for (std::int64_t column = 0; column < pixels.side; ++column) {
        pixels.at(row, column) =
            image[reflected(row - square_)][reflected(column - square_)].item<double>();
      }
    }
    std::vector<Grid> first{mean(pixels)};
    std::vector<Grid> second;
    for (std::int64_t scale = 0; scale < options_.scales; ++scale) {
      std::vector<Grid> waves;
      for (std::int64_t a = 0; a < options_.angles; ++a) {
        waves.push_back(modulus(pixels, scale, a));
        first.push_back(mean(waves.back()));
      }
      for (std::int64_t larger = scale + 1; larger < options_.scales; ++larger) {
        for (Grid& wave : waves) {
          for (std::int64_t b = 0; b < options_.angles; ++b) {
            Grid again = modulus(wave, larger, b);
            second.push_back(mean(again));
          }
        }
      }
    }
    first.insert(first.end(), second.begin(), second.end());
    return first;
  }

 private:
  [[nodiscard]] double envelope(double x, double y, std::int64_t scale, double angle) const {
    const double size = 0.8 * std::exp2(static_cast<double>(scale));
    const double along = x * std::cos(angle) + y * std::sin(angle);
    const double across =
        (y * std::cos(angle) - x * std::sin(angle)) * 4 / static_cast<double>(options_.angles);
    return std::exp(-(along * along + across * across) / (2 * size * size));
  }
  [[nodiscard]] static std::complex<double> wave(double x, double y, std::int64_t scale,
                                                 double angle) {
    const double frequency = 0.75 * kPi / std::exp2(static_cast<double>(scale));
    return std::polar(1.0, frequency * (x * std::cos(angle) + y * std::sin(angle)));
  }

  // Around the circle, as far as a wavelet reaches: ten times the width of its envelope.
  template <class Visit>
  static void around(Grid& map, double y, double x, double reach, const Visit& visit) {
    const double length = map.step * static_cast<double>(map.side);
    for (std::int64_t row = 0; row < map.side; ++row) {
      for (std::int64_t column = 0; column < map.side; ++column) {
        for (int turn = 0; turn < 25; ++turn) {
          const double right = x - map.place(column) + (turn % 5 - 2) * length;
          const double down = y - map.place(row) + (turn / 5 - 2) * length;
          if (std::max(std::abs(right), std::abs(down)) < reach) {
            visit(right, down, map.at(row, column));
          }
        }
      }
    }
  }

  Grid modulus(Grid& map, std::int64_t scale, std::int64_t turn) const {
    const double angle = kPi * static_cast<double>(turn) / static_cast<double>(options_.angles);
    const double size = std::exp2(static_cast<double>(scale));
    const double first = map.origin - (map.step - 1) / 2;
    Grid out = empty_grid(std::lround(static_cast<double>(map.side) * map.step / size),
                          first + (size - 1) / 2, size);
    for (std::int64_t row = 0; row < out.side; ++row) {
      for (std::int64_t column = 0; column < out.side; ++column) {
        double weights = 0;
        std::complex<double> mean_wave = 0;
        std::complex<double> sum = 0;
        double under = 0;
        around(map, out.place(row), out.place(column), 8 * size,
               [&](double x, double y, double value) {
                 const double weight = envelope(x, y, scale, angle);
                 weights += weight;
                 under += weight * value;
                 mean_wave += weight * wave(x, y, scale, angle);
                 sum += weight * wave(x, y, scale, angle) * value;
               });
        out.at(row, column) = std::abs((sum - mean_wave / weights * under) / weights);
      }
    }
    return out;
  }

  Grid mean(Grid& map) const {
    const auto square = static_cast<double>(square_);
    Grid out = empty_grid(side_ / square_, (square - 1) / 2, square);
    for (std::int64_t row = 0; row < out.side; ++row) {
      for (std::int64_t column = 0; column < out.side; ++column) {
        double weights = 0;
        double sum = 0;
        for (std::int64_t i = 0; i < map.side; ++i) {
          for (std::int64_t j = 0; j < map.side; ++j) {
            const double distance =
                std::hypot(out.place(row) - map.place(i), out.place(column) - map.place(j)) /
                (0.4 * square);
            const double weight = std::exp(-distance * distance / 2);
            weights += weight;
            sum += weight * map.at(i, j);
          }
        }
        out.at(row, column) = sum / weights;
      }
    }
    return out;
  }

  std::int64_t side_;
  ScatteringOptions options_;
  std::int64_t square_;
};

void expect_direct(std::int64_t side, const ScatteringOptions& options) {
  const at::Tensor image = some_images({side, side});
  const at::Tensor told = for_size(side, side, options).features(image.view({1, 1, side, side}))[0];
  std::vector<Grid> wanted = Direct(side, options).coefficients(image);
  ASSERT_EQ(told.size(0), static_cast<std::int64_t>(wanted.size()));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_EQ(told.size(1), wanted[i].side);
    for (std::int64_t row = 0; row < wanted[i].side; ++row) {
      for (std::int64_t column = 0; column < wanted[i].side; ++column) {
        EXPECT_NEAR(told[static_cast<std::int64_t>(i)][row][column].item<double>(),
                    wanted[i].at(row, column), 1e-5)
            << i << " at " << row << ", " << column;
      }
    }
  }
}

TEST(Scattering, IsWhatItsDefinitionSays) { expect_direct(8, {.scales = 2, .angles = 3}); }

// Here wavelets of a further size are used on maps of the second one.
TEST(Scattering, IsWhatItsDefinitionSaysWithThreeScales) {
  expect_direct(16, {.scales = 3, .angles = 2});
}

TEST(Scattering, HasEightyOneNumbersASquareAndChannel) {
  const Scattering colour = for_size(32, 32);
  EXPECT_EQ(colour.coefficients(), 81);
  EXPECT_EQ(colour.features(some_images({2, 3, 32, 32})).sizes(), (Shape{2, 243, 8, 8}));
  EXPECT_EQ(for_size(28, 28).features(some_images({5, 1, 28, 28})).sizes(), (Shape{5, 81, 7, 7}));
  EXPECT_EQ(for_size(20, 12).features(some_images({1, 1, 20, 12})).sizes(), (Shape{1, 81, 5, 3}));
  EXPECT_EQ(for_size(32, 32, {.scales = 3}).features(some_images({1, 1, 32, 32})).sizes(),
            (Shape{1, 1 + 24 + 3 * 64, 4, 4}));
  EXPECT_EQ(colour.features(at::empty({0, 3, 32, 32})).sizes(), (Shape{0, 243, 8, 8}));
}

TEST(Scattering, TakesEachChannelAndEachImageByItself) {
  const Scattering scattering = for_size(16, 16);
  const at::Tensor images = some_images({3, 2, 16, 16});
  const at::Tensor all = scattering.features(images);
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t channel = 0; channel < 2; ++channel) {
      const at::Tensor one = scattering.features(images[i][channel].view({1, 1, 16, 16}));
      EXPECT_LT(largest(all[i].slice(0, 81 * channel, 81 * (channel + 1)) - one[0]), 1e-6);
    }
  }
}

TEST(Scattering, AnEvenImageHasNoWaves) {
  const at::Tensor features = for_size(16, 16).features(at::full({1, 1, 16, 16}, 0.7))[0];
  EXPECT_LT(largest(features[0] - 0.7), 1e-5);
  EXPECT_LT(largest(features.slice(0, 1)), 1e-5);
}

// A wave of the frequency and the angle of a wavelet shows there, and at no other of the first
// order as much.
TEST(Scattering, AWaveShowsAtItsAngleAndSize) {
  const Scattering scattering = for_size(32, 32);
  const at::Tensor y = at::arange(32, at::kFloat).unsqueeze(1);
  const at::Tensor x = at::arange(32, at::kFloat).unsqueeze(0);
  for (const std::int64_t scale : {0, 1}) {
    for (std::int64_t turn = 0; turn < 8; ++turn) {
      const double angle = kPi * static_cast<double>(turn) / 8;
      const double frequency = 0.75 * kPi / static_cast<double>(1 << scale);
      const at::Tensor wave = at::cos(frequency * (std::cos(angle) * x + std::sin(angle) * y));
      const at::Tensor told = scattering.features(wave.view({1, 1, 32, 32}))[0];
      const at::Tensor middle = told.slice(0, 1, 17).select(1, 4).select(1, 4);
      EXPECT_EQ(middle.argmax().item<std::int64_t>(), 8 * scale + turn);
      EXPECT_GT(middle.max().item<double>(), 0.4);
    }
  }
}

// In the middle, where no border is near, an image that moves by a square has features that do; and
// one that moves by a pixel changes its features less than itself.
TEST(Scattering, FollowsAnImageThatMoves) {
  const Scattering scattering = for_size(64, 64);
  const at::Tensor wide = some_images({1, 1, 64, 80});
  const auto moved = [&](std::int64_t by) {
    return scattering.features(wide.slice(3, by, by + 64).contiguous()).slice(2, 4, 12);
  };
  const at::Tensor still = moved(0);
  EXPECT_LT(largest(still.slice(3, 5, 12) - moved(4).slice(3, 4, 11)), 1e-3);
  const auto change = [](const at::Tensor& from, const at::Tensor& to) {
    return ((from - to).norm() / from.norm()).item<double>();
  };
  const double of_features = change(still.slice(3, 4, 12), moved(1).slice(3, 4, 12));
  const double of_pixels = change(wide.slice(3, 16, 48), wide.slice(3, 17, 49));
  EXPECT_LT(of_features, of_pixels / 4);
}

// Wavelets and mean together give no frequency more energy than it has, so that features are no
// farther apart than images are; and of noise, which has all frequencies alike, they keep much.
TEST(Scattering, GivesNoImageMoreEnergyThanItHas) {
  const Scattering scattering = for_size(32, 32);
  const at::Tensor images = some_images({16, 1, 32, 32});
  const at::Tensor told = scattering.features(images);
  const auto energy = [](const at::Tensor& values) { return values.square().sum().item<double>(); };
  // A square stands for sixteen pixels.
  EXPECT_LT(16 * energy(told), energy(images));
  EXPECT_GT(16 * energy(told), energy(images) / 10);
  for (std::int64_t i = 1; i < 16; ++i) {
    EXPECT_LT(16 * energy(told[i] - told[0]), energy(images[i] - images[0]));
  }
}

TEST(Scattering, AMirroredImageHasMirroredFeatures) {
  for (const std::int64_t angles : {8, 5}) {
    const Scattering scattering = for_size(16, 24, {.scales = 2, .angles = angles});
    const at::Tensor images = some_images({2, 3, 16, 24});
    const at::Tensor features = scattering.features(images);
    const at::Tensor turned = scattering.features(images.flip({3}));
    EXPECT_LT(largest(scattering.mirrored(features) - turned), 1e-5);
    EXPECT_GT(largest(features.flip({3}) - turned), 1e-2) << "angles must be mirrored too";
  }
}

TEST(Scattering, RefusesSizesThatItCannotCut) {
  for (const auto& [height, width] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{31, 32}, {32, 30}, {4, 32}, {0, 0}}) {
    const auto refused = Scattering::create(height, width, at::kCPU);
    ASSERT_FALSE(refused) << height << " by " << width;
    EXPECT_THAT(refused.error().what, HasSubstr("squares of 4 pixels"));
    EXPECT_THAT(refused.error().remedy, HasSubstr("multiples of 4"));
  }
  EXPECT_FALSE(Scattering::create(32, 32, at::kCPU, {.scales = 0}));
  EXPECT_FALSE(Scattering::create(32, 32, at::kCPU, {.angles = 1}));
  EXPECT_TRUE(Scattering::create(8, 8, at::kCPU));
}

}  // namespace
}  // namespace tacit::train
