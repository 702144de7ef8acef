#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/mechanisms/quantile/quantile.h"

namespace tacit {

// The same quantiles of each of any number of groups. What it costs depends on how many groups one
// unit has values in, not on how many groups there are, so it is known before they are. The proof
// is in proof.md, "Groups". Immutable; may be shared between threads.
class GroupQuantiles {
 public:
  // `epsilon` is for each share, of all groups together; `contribution.rows` is the most values of
  // a unit in one group, `groups_per_unit` the most groups in which it has any.
  static Result<GroupQuantiles> create(const std::vector<Rational>& shares, Clamp clamp,
                                       const Rational& epsilon, std::uint64_t groups_per_unit,
                                       const QuantileOptions& options = {});
  // The same, with a cost that is a bare epsilon for all shares: coarser, but the same for every
  // number of groups, so that it can be paid before that number is known.
  [[nodiscard]] Result<GroupQuantiles> with_bare_cost() const;

  [[nodiscard]] const Cost& cost() const { return cost_; }
  [[nodiscard]] const Clamp& clamp() const { return one_.clamp(); }

  // For each group, one answer a share, from how many of its values lie at each grid point.
  Result<std::vector<std::vector<Released<double>>>> release_counts(
      std::span<const std::vector<GridCount>> groups, Permit&& permit, SecureStream& stream) const;

 private:
  GroupQuantiles(Quantile one, Rational epsilon, Cost cost)
      : one_(std::move(one)), epsilon_(std::move(epsilon)), cost_(std::move(cost)) {}

  Quantile one_;
  Rational epsilon_;  // of all shares and groups
  Cost cost_;
};

}  // namespace tacit
