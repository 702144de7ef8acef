#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacit/anonymize/classes.h"
#include "tacit/anonymize/measure.h"

namespace tacit::anonymize {

// What a published table must satisfy: every class has at least k rows, once rows of smaller
// classes are suppressed, of which there may be so many.
struct KAnonymity {
  std::uint64_t k = 1;
  std::uint64_t most_suppressed = 0;
};

// A node, and what it costs to publish the table there.
struct Recoding {
  Node node;
  double score = 0;
  std::uint64_t suppressed = 0;
};

// The best of all global recodings, found without trying most of them.
//
// Rows in classes of at least k stay so when classes are merged, hence a node that suppresses too
// many rows condemns all nodes below it. Nodes are taken in the order of the measure's bound, and
// the search ends when no bound is less than the best score: the optimum is exact, whatever the
// measure. A node that may fail is tried together with a path above it, halving: one node high up
// that fails condemns many below.
class Search {
 public:
  // All must outlive it.
  Search(const Records& records, std::span<const Hierarchy> hierarchies, const Measure& measure,
         const KAnonymity& criterion);

  // Nothing where no node satisfies the criterion.
  std::optional<Recoding> optimum();
  // How many nodes satisfy it.
  std::size_t fitting();

  [[nodiscard]] const Lattice& lattice() const { return lattice_; }
  // How many nodes were looked at.
  [[nodiscard]] std::size_t looked_at() const { return looked_at_; }

 private:
  enum class Fate : std::uint8_t { kUnknown, kFits, kFails };

  bool fits(std::size_t index);
  void climb(std::size_t index);
  void condemn_below(std::size_t index);
  [[nodiscard]] std::vector<std::size_t> path_up(std::size_t index) const;
  [[nodiscard]] const Classes& finer_classes(std::size_t index) const;

  struct Kept {
    std::size_t index = 0;
    Classes classes;
  };

  const Measure& measure_;
  KAnonymity criterion_;
  std::uint64_t rows_;
  Lattice lattice_;
  Grouper grouper_;
  std::vector<double> bounds_;
  std::vector<Fate> fates_;
  std::vector<Kept> kept_;  // classes of nodes that others can start from
  std::size_t kept_classes_ = 0;
  std::optional<Recoding> best_;
  std::size_t looked_at_ = 0;
};

}  // namespace tacit::anonymize
