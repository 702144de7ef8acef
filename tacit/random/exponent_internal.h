#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <span>

#include "tacit/random/exact_internal.h"
#include "tacit/random/fixed_exp_internal.h"

namespace tacit {

// The two shapes of noise: weights exp(-g(m)) of a magnitude m, with g linear (geometric, Laplace)
// or quadratic (Gaussian). Each knows g in fixed point, to within kExponentSlack units of 2^-58,
// and exactly.

// g(m) = m / scale.
class LinearExponent {
 public:
  // 2^-30 <= scale <= 2^40.
  explicit LinearExponent(mpq_class scale);

  // 2^58 g(m), or kExponentEnd when that is at least kExponentEnd.
  [[nodiscard]] std::uint64_t fixed(std::uint64_t m) const {
    if (m >= limit_) return kExponentEnd;
    const uint128 product = uint128{m} * reciprocal_ << left_shift_ >> right_shift_;
    return product < kExponentEnd ? static_cast<std::uint64_t>(product) : kExponentEnd;
  }
  [[nodiscard]] FixedBounds weight(std::uint64_t m) const { return fixed_exp(fixed(m)); }
  [[nodiscard]] mpq_class exact(std::uint64_t m) const { return to_mpz(m) / scale_; }
  // An m with 2^58 g(m) near the exponent given: a place to begin a search, nothing more.
  [[nodiscard]] std::uint64_t near(std::uint64_t exponent) const;

  // g(start + d) = g(start) + d slope(start) + (curved ? g(d) : 0).
  static constexpr bool kCurved = false;
  [[nodiscard]] mpq_class slope(std::uint64_t /*start*/) const { return 1 / scale_; }

 private:
  mpq_class scale_;
  std::uint64_t limit_;       // g is beyond kExponentEnd from here on
  std::uint64_t reciprocal_;  // floor(2^(62 + e) / scale), where 2^(e-1) <= scale < 2^e
  std::uint64_t mantissa_;    // floor(2^(62 - e) scale)
  int e_;
  int left_shift_;
  int right_shift_;
};

// g(m) = (m - centre)^2 / (2 variance), for a centre between 0 and the standard deviation.
class QuadraticExponent {
 public:
  // 2^-60 <= variance <= 2^80.
  QuadraticExponent(mpq_class variance, mpq_class centre);

  [[nodiscard]] std::uint64_t fixed(std::uint64_t m) const {
    if (m >= limit_) return kExponentEnd;
    const std::uint64_t point = m << shift_;
    // |point - centre| without a branch: the time of a draw must not tell which is larger.
    const std::uint64_t minus = -std::uint64_t{point < centre_};
    const std::uint64_t distance = ((point - centre_) ^ minus) - minus;
    const uint128 product = uint128{multiply_high(distance, distance)} * reciprocal_ >> 61;
    return product < kExponentEnd ? static_cast<std::uint64_t>(product) : kExponentEnd;
  }
  [[nodiscard]] FixedBounds weight(std::uint64_t m) const { return fixed_exp(fixed(m)); }
  [[nodiscard]] mpq_class exact(std::uint64_t m) const;

  // These hold for a centre of 0.
  [[nodiscard]] std::uint64_t near(std::uint64_t exponent) const;
  static constexpr bool kCurved = true;
  [[nodiscard]] mpq_class slope(std::uint64_t start) const { return to_mpz(start) / variance_; }
  // Writes its numbers into those of a GaussianTable.
  void tabulate(std::span<std::uint64_t> words) const;

 private:
  mpq_class variance_;
  mpq_class exact_centre_;
  std::uint64_t limit_;
  std::uint64_t centre_;      // floor(2^(61 - e) centre), where 4^(e-1) <= 2 variance < 4^e
  std::uint64_t reciprocal_;  // floor(4^e 2^61 / (2 variance))
  std::uint64_t mantissa_;    // floor(2^(62 - 2e) 2 variance)
  int e_;
  int shift_;  // 61 - e, or 0 where only m = 0 lies below the limit
};

}  // namespace tacit
