#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/lattice.h"
#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// The rows of a table that look alike at a node, class by class.
struct Classes {
  std::vector<std::uint32_t> records;  // one of each class stands for all
  std::vector<std::uint64_t> counts;   // rows

  [[nodiscard]] std::size_t size() const { return counts.size(); }
};

// Puts records into classes.
class Grouper {
 public:
  // Both must outlive it.
  Grouper(const Records& records, std::span<const Hierarchy> hierarchies);

  // At level 0 of every column each record is a class.
  [[nodiscard]] Classes finest() const;
  // The classes of a node, from those of a node below it: as many steps as there are of those.
  [[nodiscard]] Classes coarsen(const Classes& finer, const Node& node) const;

 private:
  const Records& records_;
  std::span<const Hierarchy> hierarchies_;
};

}  // namespace tacit::anonymize
