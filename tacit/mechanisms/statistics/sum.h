#pragma once

#include <cstdint>
#include <span>

#include "tacit/mechanisms/clamp.h"
#include "tacit/mechanisms/noise.h"

namespace tacit {

// What a statistic of one column needs to know before it sees the column.
struct ColumnParameters {
  // Values are clamped to these (clamp.h says how).
  Rational lower;
  Rational upper;
  // The column holds integers: its values are not rounded to a finer grid.
  bool whole_numbers = false;
  Contribution contribution;
  NoiseTarget target;
};

// The sum of a column.
class Sum {
 public:
  static Result<Sum> create(const ColumnParameters& parameters);

  [[nodiscard]] const Cost& cost() const { return noise_.cost(); }
  [[nodiscard]] Result<double> half_width(double confidence) const;
  // How a row becomes a number of steps; an engine that adds elsewhere must do the same.
  [[nodiscard]] const Clamp& clamp() const { return clamp_; }

  Result<Released<double>> release(std::span<const double> values, Permit&& permit,
                                   SecureStream& stream) const;
  Result<Released<double>> release(std::span<const std::int64_t> values, Permit&& permit,
                                   SecureStream& stream) const;
  // From the exact sum of clamped values, in steps.
  Result<Released<double>> release_total(int128 total, Permit&& permit, SecureStream& stream) const;

 private:
  Sum(Clamp clamp, AdditiveNoise noise, Interval interval);

  Clamp clamp_;
  AdditiveNoise noise_;
  Interval interval_;
};

}  // namespace tacit
