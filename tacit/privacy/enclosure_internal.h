#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacit/base/rational.h"

// Arithmetic that knows its own error. An Enclosure holds a real number between two doubles; each
// operation rounds its ends outward, so the upper end of a result is a bound whatever happened on
// the way. Basic operations and sqrt are correctly rounded by IEEE 754 and are widened by one unit
// in the last place; the elementary functions of the C library are widened by kLibraryUlps, above
// the largest error glibc's manual lists for any of them (erfc, 5). A test compares each with MPFR.
namespace tacit {

struct Enclosure {
  double lower = 0;
  double upper = 0;

  Enclosure() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a double is the interval that holds it alone.
  Enclosure(double exactly) : lower(exactly), upper(exactly) {}
  Enclosure(double from, double to) : lower(from), upper(to) {}
  explicit Enclosure(const Rational& value) : lower(value.lower()), upper(value.upper()) {}
};

namespace rounding {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr int kLibraryUlps = 8;

inline double down(double value, int ulps = 1) {
  for (int i = 0; i < ulps; ++i) value = std::nextafter(value, -kInfinity);
  return value;
}
inline double up(double value, int ulps = 1) {
  for (int i = 0; i < ulps; ++i) value = std::nextafter(value, kInfinity);
  return value;
}
// A function of the C library that rises with its argument.
template <class Function>
Enclosure rising(Function function, const Enclosure& x) {
  return {down(function(x.lower), kLibraryUlps), up(function(x.upper), kLibraryUlps)};
}

}  // namespace rounding

inline Enclosure operator-(const Enclosure& x) { return {-x.upper, -x.lower}; }
inline Enclosure operator+(const Enclosure& x, const Enclosure& y) {
  return {rounding::down(x.lower + y.lower), rounding::up(x.upper + y.upper)};
}
inline Enclosure operator-(const Enclosure& x, const Enclosure& y) { return x + -y; }
inline Enclosure operator*(const Enclosure& x, const Enclosure& y) {
  const auto [least, most] =
      std::minmax({x.lower * y.lower, x.lower * y.upper, x.upper * y.lower, x.upper * y.upper});
  return {rounding::down(least), rounding::up(most)};
}
// The divisor does not hold 0.
inline Enclosure operator/(const Enclosure& x, const Enclosure& y) {
  const auto [least, most] =
      std::minmax({x.lower / y.lower, x.lower / y.upper, x.upper / y.lower, x.upper / y.upper});
  return {rounding::down(least), rounding::up(most)};
}

// Of a number that is not negative, whatever its interval says.
inline Enclosure sqrt(const Enclosure& x) {
  return {std::max(0.0, rounding::down(std::sqrt(std::max(0.0, x.lower)))),
          rounding::up(std::sqrt(std::max(0.0, x.upper)))};
}
inline Enclosure square(const Enclosure& x) {
  const double least =
      x.lower <= 0 && x.upper >= 0 ? 0 : std::min(std::abs(x.lower), std::abs(x.upper));
  const double most = std::max(std::abs(x.lower), std::abs(x.upper));
  return {std::max(0.0, rounding::down(least * least)), rounding::up(most * most)};
}
inline Enclosure exp(const Enclosure& x) {
  const Enclosure e = rounding::rising([](double v) { return std::exp(v); }, x);
  return {std::max(0.0, e.lower), e.upper};
}
inline Enclosure expm1(const Enclosure& x) {
  return rounding::rising([](double v) { return std::expm1(v); }, x);
}
// Of a number above 0; the lower end may be minus infinity.
inline Enclosure log(const Enclosure& x) {
  return rounding::rising([](double v) { return v <= 0 ? -rounding::kInfinity : std::log(v); }, x);
}
inline Enclosure log1p(const Enclosure& x) {
  return rounding::rising([](double v) { return v <= -1 ? -rounding::kInfinity : std::log1p(v); },
                          x);
}

// P[N > x] for a standard normal N.
Enclosure normal_tail(const Enclosure& x);
// exp(-x^2 / 2) / sqrt(2 pi).
Enclosure normal_density(const Enclosure& x);
// Mills' ratio: normal_tail / normal_density, also where both are too small for a double.
Enclosure mills_ratio(const Enclosure& x);

}  // namespace tacit
