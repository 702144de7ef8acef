#pragma once

#include <array>
#include <cstdint>

#include "tacit/base/int128.h"

namespace tacit {

// Bounds on a real number in [0, 1], in units of 2^-63: lo <= 2^63 p <= hi.
struct FixedBounds {
  std::uint64_t lo;
  std::uint64_t hi;
};

inline constexpr std::uint64_t kFixedOne = std::uint64_t{1} << 63;

// Exponents are in units of 2^-58. From 44 on exp(-x) is below 2^-63 and is bounded as such.
inline constexpr int kExponentBits = 58;
inline constexpr std::uint64_t kExponentEnd = std::uint64_t{44} << kExponentBits;

// How far a fixed-point exponent may lie from the real one, in units of 2^-58, for the bounds of
// fixed_exp to hold.
inline constexpr int kExponentSlack = 28;

namespace fixed_exp_constants {

inline constexpr std::uint64_t kLog2OfE = 0xB8AA3B295C17F0BB;  // floor(2^63 log2(e))
inline constexpr std::uint64_t kLn2 = 0xB17217F7D1CF79AB;      // floor(2^64 ln(2))
inline constexpr int kDegree = 18;

// floor(2^62 / k!)
inline constexpr std::array<std::uint64_t, kDegree + 1> kTaylor = [] {
  std::array<std::uint64_t, kDegree + 1> coefficients{std::uint64_t{1} << 62};
  for (std::size_t k = 1; k < coefficients.size(); ++k) {
    coefficients[k] = coefficients[k - 1] / k;
  }
  return coefficients;
}();

}  // namespace fixed_exp_constants

constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(uint128{a} * b >> 64);
}

// Bounds on exp(-g) for every real g within kExponentSlack * 2^-58 of exponent * 2^-58. Integers
// only, no tables, and the same work for every exponent below kExponentEnd.
//
// With y = g log2(e) = n + f (n whole, 0 <= f < 1), exp(-g) = 2^-(n+1) 2^(1-f), and 2^(1-f) is the
// Taylor series of exp at z = (1-f) ln 2 <= ln 2, all of whose terms are positive. Errors,
// relative:
//   y is at most 3 units of 2^-58 too small, which makes 2^-y too large by less than 2.1 * 2^-58;
//   z is at most 2 units of 2^-64 too small: 2 * 2^-64;
//   each of the Horner steps loses less than 2 units of 2^-62 (product and coefficient), and the
//   losses are multiplied by z <= 0.694 in every later step: less than 7 * 2^-62 in all;
//   the terms left out are below 2^-66;
//   the exponent itself: kExponentSlack * 2^-58 = 28 * 2^-58, to first order.
// Together less than 32 * 2^-58 = 2^-53 to either side, and the last shift loses less than one
// unit.
constexpr FixedBounds fixed_exp(std::uint64_t exponent) {
  using namespace fixed_exp_constants;
  if (exponent >= kExponentEnd) return {0, 1};
  constexpr std::uint64_t kUnit = std::uint64_t{1} << kExponentBits;
  const auto y = static_cast<std::uint64_t>(uint128{exponent} * kLog2OfE >> 63);
  const auto whole = static_cast<unsigned>(y >> kExponentBits);
  const std::uint64_t complement = kUnit - (y & (kUnit - 1));
  const auto z = static_cast<std::uint64_t>(uint128{complement} * kLn2 >> kExponentBits);
  std::uint64_t sum = kTaylor[kDegree];
  for (std::size_t k = kDegree; k-- > 0;) sum = kTaylor[k] + multiply_high(sum, z);
  const std::uint64_t value = sum >> whole;
  const std::uint64_t slack = (value >> 53) + 2;
  return {value > slack ? value - slack : 0, value + slack < kFixedOne ? value + slack : kFixedOne};
}

}  // namespace tacit
