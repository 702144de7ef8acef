#pragma once

#include <cmath>

#include "tacit/privacy/pld_pairs_internal.h"

namespace tacit::pld {

// delta(epsilon) of a pair.
inline double curve(const DominatingPair& pair, double epsilon) {
  const Tails tails = pair.at(epsilon);
  return tails.p_above - (std::exp(epsilon) * tails.q_above);
}

}  // namespace tacit::pld
