#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tacit/anonymize/classes.h"

namespace tacit::anonymize {

// The table as it would be published at a node: the classes that stay, and the rows of the others,
// suppressed.
struct Published {
  const Codes& codes;
  const Classes& classes;
  std::span<const std::uint8_t> is_kept;  // of each class
  std::uint64_t suppressed = 0;           // rows
};

// What a recoding is judged by: 0 or more, less is better. proof.md shows that the bounds are
// bounds.
class Measure {
 public:
  Measure() = default;
  Measure(const Measure&) = delete;
  Measure& operator=(const Measure&) = delete;
  virtual ~Measure() = default;

  [[nodiscard]] virtual double score(const Published& table) const = 0;

  // No table at this node scores less, whatever is suppressed. Never less than that of a node
  // below.
  [[nodiscard]] virtual double bound(const Node& node) const = 0;
  // No table at this node or one above it scores less, whatever is suppressed.
  [[nodiscard]] virtual double bound_above(const Classes& /*classes*/) const { return 0; }
  // What the suppression of rows costs in each column at this node and, at least, at each node
  // below; empty where that is not known.
  [[nodiscard]] virtual std::vector<double> lost(const Published& /*table*/) const { return {}; }
  // As bound(node), for tables where rows are suppressed that were `lost` at a node above. With
  // what is lost at the node itself it is the score.
  [[nodiscard]] virtual double bound(const Node& node, std::span<const double> /*lost*/) const {
    return bound(node);
  }
  // What a table at this node may be expected to score, up to a factor: the order in which nodes
  // are tried.
  [[nodiscard]] virtual double estimate(const Node& node) const { return bound(node); }
  // Whether that is anything but the bound.
  [[nodiscard]] virtual bool has_estimates() const { return false; }
};

// How a measure of cells weighs columns, and what is generalized against what is suppressed. A
// suppressed cell has lost what generalization took from it, times `generalization`, and all that
// was left, times `suppression`.
struct CellWeights {
  std::vector<double> columns;  // empty: 1 each
  double generalization = 1;
  double suppression = 1;
};

// Whether suppressed rows count as if they were kept, which makes a measure grow with every step up
// the lattice, or as what they are.
enum class Suppressed : std::uint8_t { kAsKept, kAsLost };

// The records and hierarchies must outlive the measure.

// For each column the mean part of its leaves that a cell stands for, from 0 (as it was) to 1; a
// suppressed cell stands for all. Columns are joined by the geometric mean of 1 + x, minus 1.
std::unique_ptr<Measure> loss_measure(const Records& records,
                                      std::span<const Hierarchy> hierarchies,
                                      const CellWeights& weights = {});
// Bits that the cells lose: -log2 of how often the value was there among the rows that now look
// like it; a suppressed cell looks like all.
std::unique_ptr<Measure> entropy_measure(const Records& records,
                                         std::span<const Hierarchy> hierarchies,
                                         Suppressed suppressed = Suppressed::kAsKept,
                                         const CellWeights& weights = {});
// The mean height of cells in their hierarchies, from 0 (level 0) to 1 (the top level, and what is
// suppressed): 1 minus the precision of Sweeney (2002).
std::unique_ptr<Measure> precision_measure(const Records& records,
                                           std::span<const Hierarchy> hierarchies,
                                           const CellWeights& weights = {});
// The rows that each row cannot be told from; a suppressed row cannot be told from any (Bayardo and
// Agrawal, 2005).
std::unique_ptr<Measure> discernibility_measure(const Records& records,
                                                std::span<const Hierarchy> hierarchies,
                                                Suppressed suppressed = Suppressed::kAsKept);
// Rows by classes; all suppressed rows are one class.
std::unique_ptr<Measure> average_class_measure(const Records& records,
                                               std::span<const Hierarchy> hierarchies);
// The divergence of Kullback and Leibler, in bits, of the table's distribution from the one that a
// reader would assume who spreads each class evenly over the leaves under its values, and
// suppressed rows over all (Kifer and Gehrke, 2006).
std::unique_ptr<Measure> divergence_measure(const Records& records,
                                            std::span<const Hierarchy> hierarchies);

}  // namespace tacit::anonymize
