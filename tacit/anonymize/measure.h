#pragma once

#include <memory>
#include <span>

#include "tacit/anonymize/classes.h"

namespace tacit::anonymize {

// What a recoding is judged by: less is better.
class Measure {
 public:
  Measure() = default;
  Measure(const Measure&) = delete;
  Measure& operator=(const Measure&) = delete;
  virtual ~Measure() = default;

  // No table at this node scores less, whatever is suppressed. Never less than that of a node
  // below.
  [[nodiscard]] virtual double bound(const Node& node) const = 0;
  // `is_kept` says which classes stay; rows of the others are suppressed.
  [[nodiscard]] virtual double score(const Node& node, const Classes& classes,
                                     const std::vector<bool>& is_kept) const = 0;
};

// The records and hierarchies must outlive the measure.

// For each column the mean part of its leaves that a cell stands for, from 0 (as it was) to 1; a
// suppressed cell stands for all. Columns are joined by the geometric mean of 1 + x, minus 1.
std::unique_ptr<Measure> loss_measure(const Records& records,
                                      std::span<const Hierarchy> hierarchies);
// Bits that the cells lose: -log2 of how often the value was there among the rows that now look
// like it; suppressed rows count as if they were kept.
std::unique_ptr<Measure> entropy_measure(const Records& records,
                                         std::span<const Hierarchy> hierarchies);
// The rows that each row cannot be told from. Suppressed rows count as if they were kept.
std::unique_ptr<Measure> discernibility_measure(const Records& records);
// Rows by classes; all suppressed rows are one class.
std::unique_ptr<Measure> average_class_measure(const Records& records);

}  // namespace tacit::anonymize
