#pragma once

#include <cstdint>
#include <utility>

#include "tacit/mechanisms/statistics/whole_totals.h"

namespace tacit {

// The number of rows. Refused where it is public (replace neighbours with fixed rows).
class Count {
 public:
  static Result<Count> create(const Contribution& contribution, const NoiseTarget& target);
  static Result<Count> create(const Contribution& contribution, const NoiseShare& share);

  [[nodiscard]] const Cost& cost() const { return totals_.cost(); }
  [[nodiscard]] Result<double> half_width(double confidence) const {
    return totals_.half_width(confidence);
  }

  // The answer may be negative; it is unbiased.
  Result<Released<std::int64_t>> release(std::uint64_t rows, Permit&& permit,
                                         SecureStream& stream) const;

 private:
  explicit Count(WholeTotals totals) : totals_(std::move(totals)) {}

  WholeTotals totals_;
};

}  // namespace tacit
