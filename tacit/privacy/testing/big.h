#pragma once

#include <mpfr.h>

namespace tacit::testing_numbers {

// A number of 320 bits, with the few operations that reference values need.
class Big {
 public:
  Big(double value) {  // NOLINT(google-explicit-constructor): reads as arithmetic
    mpfr_init2(value_, 320);
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  Big(const Big& other) : Big(0) { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Big& operator=(const Big& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Big() { mpfr_clear(value_); }

  friend Big operator+(Big a, const Big& b) { return a.with(mpfr_add, b); }
  friend Big operator-(Big a, const Big& b) { return a.with(mpfr_sub, b); }
  friend Big operator*(Big a, const Big& b) { return a.with(mpfr_mul, b); }
  friend Big operator/(Big a, const Big& b) { return a.with(mpfr_div, b); }
  friend Big pow(Big a, const Big& b) { return a.with(mpfr_pow, b); }
  friend Big exp(Big a) { return a.by(mpfr_exp); }
  friend Big log(Big a) { return a.by(mpfr_log); }
  friend Big log1p(Big a) { return a.by(mpfr_log1p); }
  friend Big expm1(Big a) { return a.by(mpfr_expm1); }
  friend Big abs(Big a) { return a.by(mpfr_abs); }
  friend Big sqrt(Big a) { return a.by(mpfr_sqrt); }
  friend Big erfc(Big a) { return a.by(mpfr_erfc); }
  [[nodiscard]] double to_double() const { return mpfr_get_d(value_, MPFR_RNDN); }

 private:
  template <class Operation>
  Big& with(Operation operation, const Big& b) {
    operation(value_, value_, b.value_, MPFR_RNDN);
    return *this;
  }
  template <class Function>
  Big& by(Function function) {
    function(value_, value_, MPFR_RNDN);
    return *this;
  }

  mpfr_t value_;
};

}  // namespace tacit::testing_numbers
