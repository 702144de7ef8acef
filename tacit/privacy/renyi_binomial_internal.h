#pragma once

#include <cmath>

#include "tacit/privacy/renyi_rounding_internal.h"

namespace tacit::renyi {

// Where binomial_series converges fast.
inline bool in_binomial_series(double u, double order) {
  return std::abs(order * u) < 0.25 && std::abs(u) < 0.25;
}

// (1 + u)^a - 1 - a u as the sum over k >= 2 of binomial(a, k) u^k, within 64 units, relative.
inline double binomial_series(double u, double order) {
  double term = order * (order - 1) / 2 * u * u;
  double sum = term;
  for (int k = 2; std::abs(term) > sum * (kUnit / 4); ++k) {
    term *= (order - k) / (k + 1) * u;
    sum += term;
  }
  return sum;
}

// An upper bound on (1 + u)^a - 1 - a u >= 0, for u > -1 known to 4 units, relative, and
// a log(1 + u) at most 600.
inline double binomial_excess(double u, double order) {
  if (in_binomial_series(u, order)) return up(binomial_series(u, order), 96);
  const double exponent = order * std::log1p(u);
  const double power = std::expm1(exponent);
  const double error =
      (std::abs(power) + 1) * (8 + 16 * std::abs(exponent) + 8 * order) + 8 * std::abs(order * u);
  return std::max(0.0, power - order * u) + error * kUnit;
}

}  // namespace tacit::renyi
