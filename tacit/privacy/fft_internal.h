#pragma once

#include <bit>
#include <cstddef>
#include <span>
#include <vector>

namespace tacit {

// A complex number with plain arithmetic: unlike std::complex, a product is four multiplications
// and never looks for infinities.
struct Complex {
  double re = 0;
  double im = 0;

  friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  friend Complex operator*(Complex a, Complex b) {
    return {(a.re * b.re) - (a.im * b.im), (a.re * b.im) + (a.im * b.re)};
  }
};

[[nodiscard]] inline Complex conjugate(Complex a) { return {a.re, -a.im}; }
[[nodiscard]] inline Complex times_i(Complex a) { return {-a.im, a.re}; }
[[nodiscard]] inline double squared_magnitude(Complex a) { return (a.re * a.re) + (a.im * a.im); }

// The discrete Fourier transform of one length. The spectrum is in bit-reversed order, which costs
// nothing to make and nothing to read back; `mirror` finds the conjugate frequency in it.
class Fft {
 public:
  // `size` is a power of two, at least 4.
  explicit Fft(std::size_t size);

  // values[j] at time j becomes sum_j values[j] exp(-2 pi i j k / size) at the slot of frequency k.
  void forward(std::span<Complex> values) const;
  // The inverse, times `size`.
  void inverse(std::span<Complex> spectrum) const;

  [[nodiscard]] std::size_t size() const { return size_; }

  // Where the frequency -k lies, for the frequency k at `slot`.
  static std::size_t mirror(std::size_t slot) {
    return slot == 0 ? 0 : slot ^ (std::bit_floor(slot) - 1);
  }

  // Each computed output differs from the exact one by at most this times the sum of the
  // magnitudes of the inputs (pld_proof.md, "Rounding of the transform").
  [[nodiscard]] double error() const;

 private:
  std::size_t size_;
  // For each pass over blocks of length L, longest first: w^j, w^2j, w^3j for j < L/4, where
  // w = exp(-2 pi i / L).
  std::vector<Complex> twiddles_;
};

}  // namespace tacit
