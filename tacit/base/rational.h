#pragma once

#include <gmpxx.h>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "tacit/base/error.h"

namespace tacit {

// An exact rational number. Parameters of mechanisms and costs are rationals, so that 0.1 means
// one tenth and ten times a tenth is one.
class Rational {
 public:
  Rational() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): an integer is a rational number.
  Rational(std::int64_t value);
  explicit Rational(mpq_class value) : value_(std::move(value)) { value_.canonicalize(); }

  // numerator / denominator; refuses a zero denominator.
  static Result<Rational> ratio(std::int64_t numerator, std::int64_t denominator);
  // 2^exponent, for any exponent of at most 2^20 in magnitude.
  static Rational power_of_two(std::int64_t exponent);
  // The exact value of the double; refuses NaN and infinities.
  static Result<Rational> exactly(double value);
  // The number a person means who writes `value`: the shortest decimal that reads back as it, so
  // 0.1 becomes 1/10. Refuses NaN and infinities.
  static Result<Rational> decimal(double value);
  // "3", "-0.25", "1e-5", "3/4". Refuses anything else, and texts or exponents of absurd size.
  static Result<Rational> parse(std::string_view text);

  // The nearest double below or equal, above or equal. Above the largest double: that double or
  // infinity, whichever lies on the side asked for.
  [[nodiscard]] double lower() const;
  [[nodiscard]] double upper() const;
  // A nearest double; for display and for searches, never for a bound.
  [[nodiscard]] double approximate() const;

  // Greatest integer not above the value.
  [[nodiscard]] mpz_class floor() const;
  [[nodiscard]] mpz_class ceil() const;

  [[nodiscard]] int sign() const { return sgn(value_); }
  [[nodiscard]] const mpq_class& mpq() const { return value_; }

  // Reads back by parse: a plain decimal where a short one is exact, "p/q" elsewhere.
  [[nodiscard]] std::string to_string() const;

  // The divisor must not be zero.
  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator*(const Rational& a, const Rational& b);
  friend Rational operator/(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a);
  friend bool operator==(const Rational& a, const Rational& b) { return a.value_ == b.value_; }
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
    return cmp(a.value_, b.value_) <=> 0;
  }

 private:
  mpq_class value_;
};

}  // namespace tacit
