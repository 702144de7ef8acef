#include "tacit/random/exponent_internal.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "tacit/random/gaussian_table.h"

namespace tacit {
namespace {

// floor(log2(value)), value > 0.
int floor_log2(const mpq_class& value) {
  const auto size = [](const mpz_class& n) {
    return static_cast<int>(mpz_sizeinbase(n.get_mpz_t(), 2));
  };
  const int guess = size(value.get_num()) - size(value.get_den());
  const mpz_class num = value.get_num() << static_cast<unsigned>(std::max(-guess, 0));
  const mpz_class den = value.get_den() << static_cast<unsigned>(std::max(guess, 0));
  return num >= den ? guess : guess - 1;
}

// floor(2^exponent value); the result fits a word.
std::uint64_t floor_scaled(const mpq_class& value, int exponent) {
  const mpz_class num = value.get_num() << static_cast<unsigned>(std::max(exponent, 0));
  const mpz_class den = value.get_den() << static_cast<unsigned>(std::max(-exponent, 0));
  return to_word(num / den);
}

// 2^exponent, but at least 1.
std::uint64_t power_or_one(int exponent) { return std::uint64_t{1} << std::max(exponent, 0); }

// floor(sqrt(value)) by Newton's iteration from above.
std::uint64_t floor_sqrt(uint128 value) {
  if (value == 0) return 0;
  const auto high = static_cast<std::uint64_t>(value >> 64);
  const auto bits =
      high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<std::uint64_t>(value));
  uint128 root = uint128{1} << ((bits + 1) / 2);
  for (;;) {
    const uint128 next = (root + value / root) / 2;
    if (next >= root) return static_cast<std::uint64_t>(root);
    root = next;
  }
}

std::uint64_t shift_right(uint128 value, int shift) {
  return shift < 128 ? static_cast<std::uint64_t>(value >> shift) : 0;
}

}  // namespace

// m < limit means m < 2^(e+6), or m = 0. Losing less than a unit of the reciprocal costs at most
// m / 2^(e+4) < 4 units of g, and the shift one more: 5 in all. Beyond the limit g >= 64.
LinearExponent::LinearExponent(mpq_class scale) : scale_(std::move(scale)) {
  const int e = floor_log2(scale_) + 1;
  e_ = e;
  mantissa_ = floor_scaled(scale_, 62 - e);
  limit_ = power_or_one(e + 6);
  reciprocal_ = floor_scaled(1 / scale_, 62 + e);
  left_shift_ = std::max(0, -(e + 4));
  right_shift_ = std::max(0, e + 4);
}

std::uint64_t LinearExponent::near(std::uint64_t exponent) const {
  return shift_right(uint128{exponent} * mantissa_, kExponentBits + 62 - e_);
}

// m < limit means m < 2^(e+3), or m = 0, so distances are below 2^64. The centre is less than one
// unit off, which costs the square's upper word less than 2 units and its rounding one more: 3
// units times reciprocal / 2^61 <= 4. The reciprocal's rounding costs at most square / 2^61 < 8,
// the shift one: 21 in all. Beyond the limit m - centre > 7 * 2^e, so g > 49.
QuadraticExponent::QuadraticExponent(mpq_class variance, mpq_class centre)
    : variance_(std::move(variance)), exact_centre_(std::move(centre)) {
  const mpq_class doubled = 2 * variance_;
  const int log2 = floor_log2(doubled);
  const int e = (log2 >= 0 ? log2 / 2 : -((1 - log2) / 2)) + 1;
  e_ = e;
  mantissa_ = floor_scaled(doubled, 62 - 2 * e);
  limit_ = power_or_one(e + 3);
  centre_ = floor_scaled(exact_centre_, 61 - e);
  reciprocal_ = floor_scaled(1 / doubled, 61 + 2 * e);
  shift_ = limit_ == 1 ? 0 : 61 - e;
}

void QuadraticExponent::tabulate(std::span<std::uint64_t> words) const {
  words[GaussianTable::kLimit] = limit_;
  words[GaussianTable::kShift] = static_cast<std::uint64_t>(shift_);
  words[GaussianTable::kReciprocal] = reciprocal_;
}

mpq_class QuadraticExponent::exact(std::uint64_t m) const {
  const mpq_class distance = to_mpz(m) - exact_centre_;
  return distance * distance / (2 * variance_);
}

std::uint64_t QuadraticExponent::near(std::uint64_t exponent) const {
  return shift_right(floor_sqrt(uint128{exponent} * mantissa_), (kExponentBits + 62) / 2 - e_);
}

}  // namespace tacit
