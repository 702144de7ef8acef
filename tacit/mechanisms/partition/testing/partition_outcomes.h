#pragma once

#include <cstdint>
#include <vector>

#include "tacit/mechanisms/selection/testing/run_mechanism.h"
#include "tacit/mechanisms/testing/verdict.h"

namespace tacit::testing {

inline constexpr std::size_t kManyGroups = 200'000;

// How many of many groups of this size are hidden, and shown.
template <class Mechanism>
CellCounts hidden_and_shown(const Mechanism& mechanism, std::uint64_t units) {
  const std::vector<std::uint64_t> groups(kManyGroups, units);
  const auto shown =
      mechanism.select(groups, permit_for(mechanism.cost()), system_stream()).value().value.size();
  return {kManyGroups - shown, shown};
}

}  // namespace tacit::testing
