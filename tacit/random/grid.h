#pragma once

#include <cstdint>

#include "tacit/base/rational.h"

namespace tacit {

// The scale, in units of the grid of multiples of 2^exponent, of noise of this scale. (Of a
// variance take on_grid(on_grid(variance, exponent), exponent).)
inline Rational on_grid(const Rational& scale, std::int64_t exponent) {
  return scale * Rational::power_of_two(-exponent);
}

}  // namespace tacit
