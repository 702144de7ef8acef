#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/anonymize/classes.h"
#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/lattice.h"
#include "tacit/anonymize/records.h"
#include "tacit/base/progress.h"

namespace tacit::anonymize {

// The levels that a column may be given, and what they weigh.
struct LevelChoice {
  std::uint8_t least = 0;
  std::uint8_t most = 0;
  std::uint8_t top = 0;  // the column's coarsest level
  double weight = 1;
};

// What the levels of a column are chosen by: the rows that are likely to stay, times how precise
// they are. One row more raises every score by 0 to kSensitivity (proof.md, theorem 2).
class PrecisionScore {
 public:
  static constexpr std::uint64_t kSensitivity = 2048;
  // Of a node that nothing makes coarser.
  static constexpr std::int64_t kFullPrecision = 1024;

  // `threshold`: T of proof.md, the rows that a class needs to have a fair chance to stay.
  PrecisionScore(std::vector<LevelChoice> columns, std::uint64_t threshold);

  // How many nodes there are to choose from; the largest number where there are more.
  [[nodiscard]] std::size_t candidates() const;
  [[nodiscard]] Node node(std::size_t candidate) const;

  // Of each candidate.
  [[nodiscard]] std::vector<std::int64_t> of(const Records& records,
                                             std::span<const Hierarchy> hierarchies,
                                             const Progress& progress = {}) const;

  // W of proof.md, by levels and weights alone.
  [[nodiscard]] std::int64_t precision(const Node& node) const;
  // f of proof.md: rows of a class as they count.
  [[nodiscard]] std::uint64_t counted(std::uint64_t rows) const;

 private:
  class Walk;

  std::vector<LevelChoice> columns_;
  std::uint64_t threshold_;
};

}  // namespace tacit::anonymize
