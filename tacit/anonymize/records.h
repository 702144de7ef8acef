#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacit::anonymize {

// The table as a search sees it: each different combination of quasi-identifiers once, as leaves of
// the columns' hierarchies, with the number of its rows.
struct Records {
  std::size_t columns = 0;
  std::vector<std::uint32_t> leaves;  // record by record
  std::vector<std::uint64_t> counts;
  std::uint64_t rows = 0;

  [[nodiscard]] std::size_t size() const { return counts.size(); }
  [[nodiscard]] const std::uint32_t* record(std::size_t index) const {
    return leaves.data() + (index * columns);
  }
};

}  // namespace tacit::anonymize
