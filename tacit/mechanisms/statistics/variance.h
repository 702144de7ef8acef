#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacit/mechanisms/statistics/centred_sum.h"
#include "tacit/mechanisms/statistics/count.h"
#include "tacit/mechanisms/statistics/sum.h"

namespace tacit {

// All of these come from the same noisy numbers. The intervals hold one by one.
struct VarianceRelease {
  Released<double> variance;
  Released<double> standard_deviation;
  Released<double> mean;
  Released<std::int64_t> count;
  // The noisy sums in steps that the rest is computed from.
  int128 noisy_offsets = 0;
  int128 noisy_squares = 0;
};

// The exact sums that a variance is made of, in steps of the two grids of the mechanism.
struct MomentTotals {
  std::uint64_t rows = 0;
  int128 offsets = 0;  // of offset(value)
  int128 squares = 0;  // of square(offset(value))
};

// The population variance (divisor n) of a column, from noisy sums of offsets from the middle of
// the bounds and of their squares, and a noisy count, each with a third of the target (half, where
// the number of rows is public).
class Variance {
 public:
  static Result<Variance> create(const ColumnParameters& parameters);

  [[nodiscard]] const Cost& cost() const { return cost_; }

  // What one row adds to the totals.
  [[nodiscard]] std::int64_t offset(double value) const { return clamp_(value) - offsets_.centre; }
  [[nodiscard]] std::int64_t offset(std::int64_t value) const {
    return clamp_(value) - offsets_.centre;
  }
  [[nodiscard]] std::int64_t square(std::int64_t offset) const;

  // The intervals are computed from the released numbers and marked approximate.
  Result<VarianceRelease> release(std::span<const double> values, Permit&& permit,
                                  SecureStream& stream) const;
  Result<VarianceRelease> release(std::span<const std::int64_t> values, Permit&& permit,
                                  SecureStream& stream) const;
  Result<VarianceRelease> release_totals(const MomentTotals& totals, Permit&& permit,
                                         SecureStream& stream) const;

  // What this mechanism released, with intervals of another confidence. Costs nothing: it looks at
  // released numbers only.
  [[nodiscard]] Result<VarianceRelease> at_confidence(const VarianceRelease& release,
                                                      double confidence) const;

 private:
  Variance(Clamp clamp, int square_shift, CentredSum offsets, CentredSum squares,
           std::optional<Count> count, std::vector<Cost> parts, Cost cost);

  template <class Value>
  MomentTotals totals(std::span<const Value> values) const;

  Clamp clamp_;
  int square_shift_;  // a step of squares is 2^square_shift_ squared steps of the column
  CentredSum offsets_;
  CentredSum squares_;
  std::optional<Count> count_;  // absent where the number of rows is public
  std::vector<Cost> parts_;
  Cost cost_;
};

}  // namespace tacit
