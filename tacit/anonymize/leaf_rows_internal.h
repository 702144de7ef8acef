#pragma once

#include <cstdint>
#include <vector>

#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// The rows at each leaf of a column.
inline std::vector<std::uint64_t> rows_at_leaves(const Records& records, std::size_t column,
                                                 std::size_t leaves) {
  std::vector<std::uint64_t> out(leaves);
  for (std::size_t i = 0; i < records.size(); ++i) {
    out[records.record(i)[column]] += records.counts[i];
  }
  return out;
}

// Those at each value of a level.
inline std::vector<std::uint64_t> rows_at_level(const std::vector<std::uint64_t>& leaves,
                                                const Hierarchy& hierarchy, std::size_t level) {
  std::vector<std::uint64_t> out(hierarchy.size(level));
  for (std::uint32_t leaf = 0; leaf < leaves.size(); ++leaf) {
    out[hierarchy.at(level, leaf)] += leaves[leaf];
  }
  return out;
}

}  // namespace tacit::anonymize
