#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacit/privacy/pld_compose_internal.h"

namespace tacit::pld {

// A pair and how often it is composed.
struct Term {
  Pair pair;
  std::uint64_t times = 1;
};

// What is asked of a composition; exactly one is set.
struct Question {
  std::optional<double> epsilon;
  std::optional<double> delta;
};

// Composes on a lattice chosen for the question. `fineness` 0 is the first choice; each unit more
// halves the step. Whatever is chosen, the bounds hold; only how sharp they are depends on it.
Composition compose_for(std::span<const Term> terms, const Question& question, int fineness);

}  // namespace tacit::pld
