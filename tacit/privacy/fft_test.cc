#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include "tacit/privacy/fft_internal.h"

namespace tacit {
namespace {

std::vector<Complex> random_values(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Complex> values(size);
  for (Complex& value : values) value = {uniform(generator), uniform(generator)};
  return values;
}

double sum_of_magnitudes(std::span<const Complex> values) {
  double sum = 0;
  for (const Complex value : values) sum += std::sqrt(squared_magnitude(value));
  return sum;
}

std::size_t bit_reversed(std::size_t k, std::size_t size) {
  std::size_t reversed = 0;
  for (std::size_t bit = 1; bit < size; bit *= 2) {
    reversed = (reversed * 2) + ((k & bit) != 0 ? 1 : 0);
  }
  return reversed;
}

// The transform by its definition, in long double.
Complex slow_coefficient(std::span<const Complex> values, std::size_t k) {
  const auto size = static_cast<long double>(values.size());
  long double re = 0;
  long double im = 0;
  for (std::size_t j = 0; j < values.size(); ++j) {
    const long double turn = -2 * std::numbers::pi_v<long double> *
                             static_cast<long double>((j * k) % values.size()) / size;
    re += (values[j].re * std::cos(turn)) - (values[j].im * std::sin(turn));
    im += (values[j].re * std::sin(turn)) + (values[j].im * std::cos(turn));
  }
  return {static_cast<double>(re), static_cast<double>(im)};
}

class FftOfSize : public ::testing::TestWithParam<std::size_t> {};

TEST_P(FftOfSize, IsTheTransformByItsDefinitionWithinTheStatedError) {
  const std::size_t size = GetParam();
  const Fft fft(size);
  const std::vector<Complex> values = random_values(size, size);
  std::vector<Complex> spectrum = values;
  fft.forward(spectrum);
  const double bound = fft.error() * sum_of_magnitudes(values);
  for (std::size_t k = 0; k < size; ++k) {
    const Complex difference = spectrum[bit_reversed(k, size)] - slow_coefficient(values, k);
    ASSERT_LE(std::sqrt(squared_magnitude(difference)), bound) << "frequency " << k;
  }
}

TEST_P(FftOfSize, InverseUndoesForward) {
  const std::size_t size = GetParam();
  const Fft fft(size);
  const std::vector<Complex> values = random_values(size, size + 1);
  std::vector<Complex> there_and_back = values;
  fft.forward(there_and_back);
  fft.inverse(there_and_back);
  for (std::size_t j = 0; j < size; ++j) {
    ASSERT_NEAR(there_and_back[j].re / static_cast<double>(size), values[j].re, 1e-13);
    ASSERT_NEAR(there_and_back[j].im / static_cast<double>(size), values[j].im, 1e-13);
  }
}

TEST_P(FftOfSize, MirrorFindsTheConjugateFrequency) {
  const std::size_t size = GetParam();
  for (std::size_t k = 0; k < size; ++k) {
    EXPECT_EQ(Fft::mirror(bit_reversed(k, size)), bit_reversed((size - k) % size, size));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, FftOfSize, ::testing::Values(4, 8, 16, 32, 256, 2048));

TEST(Fft, LongTransformsKeepAPointMassAtMagnitudeOne) {
  const Fft fft(std::size_t{1} << 18);
  std::vector<Complex> values(fft.size());
  values[12345] = {1, 0};
  fft.forward(values);
  for (const Complex value : values) {
    ASSERT_NEAR(std::sqrt(squared_magnitude(value)), 1, fft.error());
  }
}

}  // namespace
}  // namespace tacit
