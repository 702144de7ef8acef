#pragma once

#include <cmath>
#include <limits>

// Rounding to the safe side. Elementary functions of the C library are taken to be within
// 4 units of 2^-53 of the true value, relative, which glibc keeps for every function used here.
namespace tacit::renyi {

inline constexpr double kUnit = 0x1p-53;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// An upper bound on a number of which `value` is an approximation from a few operations, all of
// them on numbers of the same sign: off by at most `units` of 2^-53, relative, or by an underflow.
inline double up(double value, double units) {
  return value + (value * (units * kUnit) + std::numeric_limits<double>::min());
}

// a + b and a * b upwards, for numbers of at least 0; exact where one is 0 (or a is 1).
inline double sum_up(double a, double b) { return a == 0 ? b : b == 0 ? a : up(a + b, 1); }
inline double product_up(double a, double b) {
  return a == 0 || b == 0 ? 0 : a == 1 ? b : up(a * b, 1);
}

// An upper bound on log(1 + excess) / (order - 1), where excess is itself an upper bound.
inline double divergence_from_excess(double excess, double order) {
  return up(std::log1p(excess) / (order - 1), 8);
}

}  // namespace tacit::renyi
