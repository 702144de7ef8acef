#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/privacy/cost.h"
#include "tacit/privacy/permit.h"

namespace tacit::sql {

// How several releases compose: a tree whose leaves are releases, by number. Any two releases in
// different parts of a parallel are apart: no unit has rows in both. proof.md, claim 8.
struct Composition {
  enum class Kind : std::uint8_t { kRelease, kSequence, kParallel };
  Kind kind = Kind::kSequence;
  std::size_t release = 0;         // of kRelease
  std::vector<Composition> parts;  // of the others
};

// The tree of releases 0, 1, ..., one for each demand. Releases are put in parallel wherever
// `apart` allows a tree to (it is exact where the graph of who shares units is a cograph; elsewhere
// some that are apart are put in sequence). Under replace neighbours two parts of a parallel are
// paid, so it is built only where that leaves less error than a sequence, by the demands.
Composition compose(const std::function<bool(std::size_t, std::size_t)>& apart,
                    const std::vector<Rational>& demands, Neighbours neighbours);

// How errors fall as a budget grows: c / epsilon for Laplace noise, c / sqrt(rho) for Gaussian.
enum class Currency : std::uint8_t { kEpsilon, kRho };

// What each release gets of a budget of 1, so that the errors of all together are least and no set
// of releases that share a unit gets more than 1. A release's demand is the root (for kRho the
// power 2/3) of its error at a budget of 1; it may be 0. Releases that are not in the tree get 0.
std::vector<Rational> divide(const Composition& tree, const std::vector<Rational>& demands,
                             Currency currency, Neighbours neighbours);
// The demand of the whole tree.
Rational demand(const Composition& tree, const std::vector<Rational>& demands, Currency currency,
                Neighbours neighbours);

// Of the releases that have a cost; the others are not made.
Result<Cost> cost_of(const Composition& tree, const std::vector<std::optional<Cost>>& costs,
                     Neighbours neighbours);
// The permit of such a cost in parts, one for each release that has a cost.
Result<std::vector<std::optional<Permit>>> permits_of(const Composition& tree,
                                                      const std::vector<std::optional<Cost>>& costs,
                                                      Permit&& permit);

}  // namespace tacit::sql
