#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "tacit/anonymize/search.h"

namespace tacit::anonymize {

// Whether there are more nodes than an exact Search can number in memory (40 bytes each).
bool is_lattice_too_large(std::span<const Hierarchy> hierarchies);

// What a bounded search found.
struct BestEffort {
  std::optional<Recoding> best;
  double at_least = 0;  // no recoding scores less: the optimum lies between this and the best
  std::size_t looked_at = 0;

  [[nodiscard]] bool is_optimal() const { return best && best->score <= at_least; }
};

// The best recoding that `most_looks` looks at nodes find, in a lattice of any size. One half of
// them goes down from the coarsest node, each time to the neighbour that scores least of those that
// fit; the other half takes nodes by their bounds, the least first, which raises `at_least`. With
// looks enough it is the optimum; where nothing fits that was looked at, there is no best. `watch`
// is asked after each look whether to go on. All must outlive the call.
BestEffort search_within(std::size_t most_looks, const Records& records,
                         std::span<const Hierarchy> hierarchies, const Measure& measure,
                         const Criteria& criteria,
                         const std::function<bool(const BestEffort&)>& watch = {});

}  // namespace tacit::anonymize
