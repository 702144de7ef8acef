#pragma once

#include <cstdint>

namespace tacit {

// How many values lie at one point of a grid.
struct GridCount {
  std::int64_t steps = 0;
  std::uint64_t values = 0;
  bool operator==(const GridCount&) const = default;
};

}  // namespace tacit
