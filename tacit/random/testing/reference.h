#pragma once

#include <gmpxx.h>
#include <mpfr.h>

namespace tacit::testing {

// A real number between two rationals.
struct Interval {
  mpq_class lo;
  mpq_class hi;

  friend Interval operator+(const Interval& a, const Interval& b) {
    return {a.lo + b.lo, a.hi + b.hi};
  }
  // For numbers that are not negative.
  friend Interval operator*(const Interval& a, const Interval& b) {
    return {a.lo * b.lo, a.hi * b.hi};
  }
  friend Interval operator/(const Interval& a, const Interval& b) {
    return {a.lo / b.hi, a.hi / b.lo};
  }
  // 1 - a
  [[nodiscard]] Interval complement() const { return {1 - hi, 1 - lo}; }
};

inline Interval exactly(const mpq_class& value) { return {value, value}; }

// exp(-x) from MPFR with directed rounding: the samplers' arithmetic has no part in it.
inline Interval reference_exp(const mpq_class& x, mpfr_prec_t precision = 300) {
  if (x > 2000) return {0, mpq_class(1, mpz_class(1) << 2000)};  // a rational of bearable length
  const auto rounded = [&](mpfr_rnd_t argument, mpfr_rnd_t result) {
    mpfr_t value;
    mpfr_init2(value, precision);
    const mpq_class negated = -x;
    mpfr_set_q(value, negated.get_mpq_t(), argument);
    mpfr_exp(value, value, result);
    mpq_class rational;
    mpfr_get_q(rational.get_mpq_t(), value);
    mpfr_clear(value);
    return rational;
  };
  return {rounded(MPFR_RNDD, MPFR_RNDD), rounded(MPFR_RNDU, MPFR_RNDU)};
}

}  // namespace tacit::testing
