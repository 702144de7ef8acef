#pragma once

#include <vector>

#include "tacit/base/error.h"
#include "tacit/privacy/cost.h"
#include "tacit/privacy/pld_plan_internal.h"

namespace tacit::pld {

// What a cost composes, in one direction of add/remove. For replace neighbours all pairs are
// symmetric and the direction does not matter.
struct Composed {
  std::vector<Term> terms;
  // True where the other direction has the same terms.
  bool symmetric = true;
};

// One composition for each disjoint part that a unit's rows may lie in, the worst of which counts.
// Refuses by name what has no dominating pair.
Result<std::vector<Composed>> composed_terms(const Cost& cost, Direction direction);

}  // namespace tacit::pld
