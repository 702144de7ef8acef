#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tacit/attacks/agreement.h"
#include "tacit/base/progress.h"

namespace tacit::attacks {

// Rows that have the same in every column, once.
struct Combinations {
  std::size_t columns = 0;
  std::vector<std::uint32_t> codes;   // combination by combination
  std::vector<std::uint64_t> counts;  // rows of each
  std::vector<std::uint32_t> first;   // the first row of each
  std::vector<std::uint32_t> of_row;

  // Of at least one column; each has a code for every row.
  static Combinations of(std::span<const std::vector<std::uint32_t>> columns);

  [[nodiscard]] std::size_t size() const { return counts.size(); }
  [[nodiscard]] std::uint32_t code(std::size_t combination, std::size_t column) const {
    return codes[(combination * columns) + column];
  }
};

// The columns in which a record and a person disagree, a bit each.
using Disagreement = std::uint32_t;
inline constexpr std::size_t kMostCompared = 32;

using PairFound =
    std::function<void(std::uint32_t record, std::uint32_t person, Disagreement disagreement)>;

// Finds each record and person that disagree in at most `misses` columns, and says so once. Records
// are combinations of labels, people of classes of values (Agreement).
//
// Nobody is compared with everybody: of misses + 1 groups of columns, one must agree whole, and
// candidates are those who agree in one (blocking, by the pigeonhole principle).
void find_pairs(const Combinations& records, const Combinations& people,
                std::span<const Agreement> columns, std::size_t misses, const PairFound& found,
                const Progress& progress = {});

}  // namespace tacit::attacks
