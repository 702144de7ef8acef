#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tacit/anonymize/classes.h"
#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// What is left of a criterion when classes are merged, which is what a step up the lattice does.
// proof.md says which nodes each kind allows a search to leave out.
enum class Merging : std::uint8_t {
  kAbsorbs,  // a class that satisfies it may take in any other
  kCloses,   // two classes that satisfy it, merged, satisfy it
  kBreaks,   // neither is so, or neither is proved
};

// What each class of a published table must satisfy for itself. Rows of classes that do not are
// suppressed.
class Criterion {
 public:
  Criterion() = default;
  Criterion(const Criterion&) = delete;
  Criterion& operator=(const Criterion&) = delete;
  virtual ~Criterion() = default;

  [[nodiscard]] virtual bool holds(const ClassView& view) const = 0;
  // True only where no part of the class satisfies it, nor the whole: then its rows are suppressed
  // at every node below too.
  [[nodiscard]] virtual bool is_hopeless(const ClassView& view) const = 0;
  // No class of fewer rows satisfies it.
  [[nodiscard]] virtual std::uint64_t least_rows() const { return 1; }
  // Whether classes of at least so many rows all do.
  [[nodiscard]] virtual bool is_size_alone() const { return false; }
  // Whether it looks at sensitive values.
  [[nodiscard]] virtual bool needs_histograms() const { return true; }
  [[nodiscard]] virtual Merging merging() const = 0;
};

// What all classes that stay in the table must satisfy together.
class TableCriterion {
 public:
  TableCriterion() = default;
  TableCriterion(const TableCriterion&) = delete;
  TableCriterion& operator=(const TableCriterion&) = delete;
  virtual ~TableCriterion() = default;

  [[nodiscard]] virtual bool holds(const Classes& classes,
                                   std::span<const std::uint8_t> is_kept) const = 0;
  [[nodiscard]] virtual bool needs_histograms() const { return false; }
  // kCloses: where nothing is suppressed and it holds, it holds at every node above. A criterion on
  // the whole table never absorbs.
  [[nodiscard]] virtual Merging merging() const = 0;
};

// All that a published table must satisfy. A table without rows satisfies everything.
struct Criteria {
  std::vector<std::unique_ptr<Criterion>> classes;
  std::vector<std::unique_ptr<TableCriterion>> table;
  std::uint64_t most_suppressed = 0;  // rows
  // Where a missing value matches anything (see Candidates): then size is asked for alone.
  MissingCodes missing;
};

}  // namespace tacit::anonymize
