#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "tacit/anonymize/classes.h"
#include "tacit/anonymize/criteria/criterion.h"
#include "tacit/anonymize/judge_internal.h"
#include "tacit/anonymize/measure.h"
#include "tacit/anonymize/snapshots_internal.h"

namespace tacit::anonymize {

// A node, and what it costs to publish the table there.
struct Recoding {
  Node node;
  double score = 0;
  std::uint64_t suppressed = 0;  // rows
};

// The best of all global recodings, found without trying most of them.
//
// Nodes are taken in the order of what they may be expected to score, and left out where they are
// known to fail (a node above fails in a way that all below it share) or to be no better than the
// best so far (by the measure's bounds): the optimum is exact, whatever the criteria and the
// measure. A node that may fail is tried together with a path above it, halving: one node high up
// that fails condemns many below. proof.md has the reasons.
class Search {
 public:
  // Asked before every path whether to go on.
  using Watch = std::function<bool(const Search&)>;

  // All must outlive it.
  Search(const Records& records, std::span<const Hierarchy> hierarchies, const Measure& measure,
         const Criteria& criteria);
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;
  ~Search() = default;

  // Nothing where no node satisfies the criteria; the best so far where `watch` ended it.
  std::optional<Recoding> optimum(const Watch& watch = {});
  // How many nodes satisfy them.
  std::size_t fitting();
  // Which records are in the table that is published at a node; the others are suppressed.
  [[nodiscard]] std::vector<bool> kept_records(const Node& node);

  [[nodiscard]] const Lattice& lattice() const { return lattice_; }
  // How many nodes were looked at.
  [[nodiscard]] std::size_t looked_at() const { return looked_at_; }
  // The best so far.
  [[nodiscard]] const std::optional<Recoding>& best() const { return best_; }

 private:
  enum class Fate : std::uint8_t {
    kUnknown,
    kFits,
    kFails,
    kWorse,  // no better than the best, whether it fits or not
  };
  struct Bound {
    std::size_t index = 0;
    double above = 0;  // no node above scores less
  };

  void look(std::size_t index);
  void climb(std::size_t index);
  [[nodiscard]] bool is_settled(std::size_t index) const;
  [[nodiscard]] bool is_worth_asking(const Bound& bound) const;
  void conclude(std::size_t index, const Classes& classes, const Verdict& verdict);
  void drop_below(std::size_t index, std::span<const double> lost);
  void compare(const Recoding& found);
  void drop_above(const Bound& bound);
  [[nodiscard]] std::vector<std::size_t> path_up(std::size_t index) const;

  const Measure& measure_;
  Judge judge_;
  Lattice lattice_;
  Snapshots snapshots_;
  bool wants_best_ = true;      // else all that fit
  std::vector<double> bounds_;  // of each node
  std::vector<double> estimates_;
  std::vector<Fate> fates_;
  std::vector<Bound> bounds_above_;  // less than the best score
  std::optional<Recoding> best_;
  std::vector<std::size_t> ranks_;  // of nodes by their estimates
  double reach_ = 0;                // the rank up to which a look lately told enough
  std::size_t looked_at_ = 0;
};

}  // namespace tacit::anonymize
