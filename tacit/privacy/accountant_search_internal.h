#pragma once

#include <cmath>
#include <optional>

namespace tacit {

// The least x in [0, infinity) with holds(x), for a condition that stays true once it is: a double
// at which it was seen to hold, at most `tolerance` (relative) above one at which it was not, or
// nothing where it does not hold up to 2^200. Where the arithmetic behind `holds` rounds to the
// safe side, so does the search: it returns only what was seen.
template <class Condition>
std::optional<double> least_where(Condition&& holds, double tolerance = 1e-13) {
  if (holds(0.0)) return 0.0;
  double above = 1;
  while (!holds(above)) {
    above *= 2;
    if (above > 0x1p200) return std::nullopt;
  }
  double below = above / 2;
  if (above == 1) {
    while (below > 0x1p-200 && holds(below)) {
      above = below;
      below /= 2;
    }
  }
  while (above - below > tolerance * above) {
    const double middle = below + (above - below) / 2;
    (holds(middle) ? above : below) = middle;
  }
  return above;
}

}  // namespace tacit
