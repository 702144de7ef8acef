#pragma once

#include <cstdint>

#include "tacit/mechanisms/noise.h"

namespace tacit {

// The number of rows. Refused where it is public (replace neighbours with fixed rows).
class Count {
 public:
  static Result<Count> create(const Contribution& contribution, const NoiseTarget& target);
  static Result<Count> create(const Contribution& contribution, const NoiseShare& share);

  [[nodiscard]] const Cost& cost() const { return noise_.cost(); }
  [[nodiscard]] Result<double> half_width(double confidence) const;

  // The answer may be negative; it is unbiased.
  Result<Released<std::int64_t>> release(std::uint64_t rows, Permit&& permit,
                                         SecureStream& stream) const;

 private:
  Count(Grid grid, AdditiveNoise noise, Interval interval);

  Grid grid_;
  AdditiveNoise noise_;
  Interval interval_;
};

}  // namespace tacit
