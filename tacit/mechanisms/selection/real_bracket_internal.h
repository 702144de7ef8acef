#pragma once

#include <gmpxx.h>

#include <cstddef>

#include "tacit/base/rational.h"

namespace tacit {

// A real number of at least 0 known to lie in [lower, upper] · 2^-precision. Every operation
// rounds outward, so the true result of an expression lies in the bracket of that expression,
// whatever the platform: there is no floating point here. More precision makes brackets narrower;
// a decision that a bracket leaves open is taken again at more.
//
// Both operands of an operation have the same precision.
class RealBracket {
 public:
  // A rational of at least 0.
  static RealBracket of(const Rational& value, std::size_t precision);
  // exp(-exponent), for a rational exponent of at least 0.
  static RealBracket exp_minus(const Rational& exponent, std::size_t precision);

  [[nodiscard]] const mpz_class& lower() const { return lower_; }
  [[nodiscard]] const mpz_class& upper() const { return upper_; }
  [[nodiscard]] std::size_t precision() const { return precision_; }

  friend RealBracket operator+(const RealBracket& a, const RealBracket& b);
  // The true difference must be at least 0.
  friend RealBracket operator-(const RealBracket& a, const RealBracket& b);
  friend RealBracket operator*(const RealBracket& a, const RealBracket& b);
  // The lower end of the divisor must be above 0.
  friend RealBracket operator/(const RealBracket& a, const RealBracket& b);
  friend RealBracket min(const RealBracket& a, const RealBracket& b);

  // True where a <= b follows from the brackets; false where b < a or nothing follows.
  friend bool certainly_at_most(const RealBracket& a, const RealBracket& b) {
    return a.upper_ <= b.lower_;
  }

 private:
  RealBracket(mpz_class lower, mpz_class upper, std::size_t precision);

  mpz_class lower_;
  mpz_class upper_;
  std::size_t precision_;
};

}  // namespace tacit
