#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacit/mechanisms/statistics/centred_sum.h"
#include "tacit/mechanisms/statistics/count.h"
#include "tacit/mechanisms/statistics/sum.h"

namespace tacit {

// The count was paid for, so it is given along.
struct MeanRelease {
  Released<double> mean;
  Released<std::int64_t> count;
  // The noisy sum of offsets from the middle of the bounds, in steps; the intervals come from it
  // and the count.
  int128 noisy_offsets = 0;
};

// The mean of a column: a noisy sum of offsets from the middle of the bounds over a noisy count,
// each with half of the target. Where the number of rows is public the sum gets all of it.
class Mean {
 public:
  static Result<Mean> create(const ColumnParameters& parameters);

  [[nodiscard]] const Cost& cost() const { return cost_; }
  [[nodiscard]] const Clamp& clamp() const { return clamp_; }

  // The interval is computed from the two released numbers and is marked approximate (exact where
  // the number of rows is public). With few rows it is as wide as the bounds.
  Result<MeanRelease> release(std::span<const double> values, Permit&& permit,
                              SecureStream& stream) const;
  Result<MeanRelease> release(std::span<const std::int64_t> values, Permit&& permit,
                              SecureStream& stream) const;
  // From the exact sum of clamped values, in steps, and the number of rows.
  Result<MeanRelease> release_totals(int128 total, std::uint64_t rows, Permit&& permit,
                                     SecureStream& stream) const;

  // What this mechanism released, with intervals of another confidence. Costs nothing: it looks at
  // released numbers only.
  [[nodiscard]] Result<MeanRelease> at_confidence(const MeanRelease& release,
                                                  double confidence) const;

 private:
  Mean(Clamp clamp, CentredSum sum, std::optional<Count> count, std::vector<Cost> parts, Cost cost);

  Clamp clamp_;
  CentredSum sum_;
  std::optional<Count> count_;  // absent where the number of rows is public
  std::vector<Cost> parts_;
  Cost cost_;
};

}  // namespace tacit
