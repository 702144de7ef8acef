#pragma once

#include <cstddef>
#include <cstdint>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/privacy/neighbours.h"

namespace tacit {

// What a choice among scored candidates promises, and how much one unit can change the scores.
// Scores are whole numbers of grid steps. The number and the order of the candidates are public.
struct SelectionPrivacy {
  Rational epsilon;
  // Steps by which a score may differ between neighbours.
  std::uint64_t sensitivity = 1;
  // True only where, between any two neighbours, no score rises while another falls. Counts of
  // rows under add/remove are monotonic; under replace they are not.
  bool monotonic = false;
  Neighbours neighbours = Neighbours::kAddRemove;
};

// The factor of a score in the exponent, per step: epsilon / (2 sensitivity), or twice that for
// monotonic scores. Refuses an epsilon that is not above 0, a sensitivity of 0, and a rate outside
// 2^-40 ... 2^30.
Result<Rational> score_rate(const SelectionPrivacy& privacy);

// Refuses fewer candidates than `wanted`.
Result<void> require_candidates(std::size_t candidates, std::size_t wanted = 1);

}  // namespace tacit
