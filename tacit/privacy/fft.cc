#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "tacit/privacy/fft_internal.h"

namespace tacit {
namespace {

// exp(-2 pi i k / size) for k below size, from two short tables: k = high * width + low.
class RootsOfUnity {
 public:
  explicit RootsOfUnity(std::size_t size)
      : shift_((std::countr_zero(size) + 1) / 2), low_(std::size_t{1} << shift_) {
    const double angle = -2 * std::numbers::pi / static_cast<double>(size);
    const auto root = [angle](std::size_t k) {
      const double turn = angle * static_cast<double>(k);
      return Complex{std::cos(turn), std::sin(turn)};
    };
    for (std::size_t k = 0; k < low_.size(); ++k) low_[k] = root(k);
    for (std::size_t k = 0; k < size; k += low_.size()) high_.push_back(root(k));
  }

  Complex operator()(std::size_t k) const {
    return high_[k >> shift_] * low_[k & (low_.size() - 1)];
  }

 private:
  int shift_;
  std::vector<Complex> low_;
  std::vector<Complex> high_;
};

// Two radix-2 passes in one, over one block of length 4 * quarter: decimation in frequency.
void split_block(Complex* block, std::size_t quarter, const Complex* twiddle) {
  for (std::size_t j = 0; j < quarter; ++j) {
    const Complex a0 = block[j];
    const Complex a1 = block[j + quarter];
    const Complex a2 = block[j + (2 * quarter)];
    const Complex a3 = block[j + (3 * quarter)];
    const Complex even_sum = a0 + a2;
    const Complex odd_sum = a1 + a3;
    const Complex even_difference = a0 - a2;
    const Complex odd_difference = times_i(a1 - a3);
    block[j] = even_sum + odd_sum;
    block[j + quarter] = (even_sum - odd_sum) * twiddle[(3 * j) + 1];
    block[j + (2 * quarter)] = (even_difference - odd_difference) * twiddle[3 * j];
    block[j + (3 * quarter)] = (even_difference + odd_difference) * twiddle[(3 * j) + 2];
  }
}

// Undoes split_block, times 4: decimation in time with conjugate twiddles.
void join_block(Complex* block, std::size_t quarter, const Complex* twiddle) {
  for (std::size_t j = 0; j < quarter; ++j) {
    const Complex c0 = block[j];
    const Complex c1 = block[j + quarter] * conjugate(twiddle[(3 * j) + 1]);
    const Complex c2 = block[j + (2 * quarter)] * conjugate(twiddle[3 * j]);
    const Complex c3 = block[j + (3 * quarter)] * conjugate(twiddle[(3 * j) + 2]);
    const Complex even_sum = c0 + c1;
    const Complex odd_sum = c0 - c1;
    const Complex even_difference = c2 + c3;
    const Complex odd_difference = times_i(c2 - c3);
    block[j] = even_sum + even_difference;
    block[j + (2 * quarter)] = even_sum - even_difference;
    block[j + quarter] = odd_sum + odd_difference;
    block[j + (3 * quarter)] = odd_sum - odd_difference;
  }
}

void butterfly_pairs(std::span<Complex> values) {
  for (std::size_t j = 0; j < values.size(); j += 2) {
    const Complex a = values[j];
    const Complex b = values[j + 1];
    values[j] = a + b;
    values[j + 1] = a - b;
  }
}

}  // namespace

Fft::Fft(std::size_t size) : size_(size) {
  const RootsOfUnity roots(size);
  twiddles_.reserve(size);
  for (std::size_t length = size; length >= 4; length /= 4) {
    const std::size_t stride = size / length;
    for (std::size_t j = 0; j < length / 4; ++j) {
      for (std::size_t power = 1; power <= 3; ++power) {
        twiddles_.push_back(roots(power * j * stride));
      }
    }
  }
}

void Fft::forward(std::span<Complex> values) const {
  const Complex* twiddle = twiddles_.data();
  std::size_t length = size_;
  for (; length >= 4; length /= 4) {
    for (std::size_t start = 0; start < size_; start += length) {
      split_block(values.data() + start, length / 4, twiddle);
    }
    twiddle += 3 * (length / 4);
  }
  if (length == 2) butterfly_pairs(values);
}

void Fft::inverse(std::span<Complex> spectrum) const {
  const bool odd = std::countr_zero(size_) % 2 == 1;
  if (odd) butterfly_pairs(spectrum);
  const Complex* twiddle = twiddles_.data() + twiddles_.size();
  for (std::size_t length = odd ? 8 : 4; length <= size_; length *= 4) {
    twiddle -= 3 * (length / 4);
    for (std::size_t start = 0; start < size_; start += length) {
      join_block(spectrum.data() + start, length / 4, twiddle);
    }
  }
}

double Fft::error() const {
  // A radix-2 pass commits at most one addition (1 u), one product with a twiddle (sqrt 5 u) and
  // that twiddle's own error (below 8 u); 12 u a pass leaves room for the second-order terms.
  constexpr double kPassError = 12 * std::numeric_limits<double>::epsilon() / 2;
  return kPassError * static_cast<double>(std::countr_zero(size_));
}

}  // namespace tacit
