#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/mechanisms/clamp.h"
#include "tacit/mechanisms/statistics/centred_sum.h"
#include "tacit/mechanisms/statistics/group_sums.h"
#include "tacit/mechanisms/statistics/mean.h"
#include "tacit/mechanisms/statistics/whole_totals.h"

namespace tacit {

// The mean of a column in each of any number of groups, from exact sums and numbers of rows that an
// engine computed: noisy sums of offsets from the middle of the bounds over noisy counts, each with
// half of the target. Immutable; may be shared between threads.
class GroupMeans {
 public:
  static Result<GroupMeans> create(const GroupSumsParameters& parameters);

  [[nodiscard]] const Cost& cost() const { return cost_; }
  // How a row becomes a number of steps: the engine must do the same, and add in integers.
  [[nodiscard]] const Clamp& clamp() const { return clamp_; }

  // For each group the exact sum of clamped values, in steps, and the number of rows. Refuses lists
  // of different lengths. The intervals are marked approximate, and hold one by one.
  Result<std::vector<MeanRelease>> release_totals(std::span<const int128> totals,
                                                  std::span<const std::uint64_t> rows,
                                                  Permit&& permit, SecureStream& stream) const;

  // What this mechanism released, with intervals of another confidence. Costs nothing.
  [[nodiscard]] Result<std::vector<MeanRelease>> at_confidence(
      std::span<const MeanRelease> releases, double confidence) const;

 private:
  GroupMeans(Clamp clamp, CentredSum sums, WholeTotals counts, std::vector<Cost> parts, Cost cost);

  Clamp clamp_;
  CentredSum sums_;
  WholeTotals counts_;
  std::vector<Cost> parts_;
  Cost cost_;
};

}  // namespace tacit
