#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/mechanisms/clamp.h"
#include "tacit/mechanisms/noise.h"

namespace tacit {

struct ColumnBounds {
  Rational lower;
  Rational upper;
};

struct SumsParameters {
  // One for each column.
  std::vector<ColumnBounds> bounds;
  // All columns hold integers.
  bool whole_numbers = false;
  Contribution contribution;
  NoiseTarget target;
};

// The sums of several columns at once. The noise is scaled to how far one unit can move the whole
// vector: in L1 for Laplace noise, in L2 for Gaussian, which for many columns is far less.
class Sums {
 public:
  static Result<Sums> create(const SumsParameters& parameters);

  [[nodiscard]] const Cost& cost() const { return noise_.cost(); }
  // Of each sum by itself.
  [[nodiscard]] Result<double> half_width(double confidence) const;
  [[nodiscard]] std::span<const Clamp> clamps() const { return clamps_; }

  // Row after row, one value for each column; refuses a length that is no multiple of the columns.
  Result<Released<std::vector<double>>> release(std::span<const double> rows, Permit&& permit,
                                                SecureStream& stream) const;
  // From the exact sums of clamped values, in steps.
  Result<Released<std::vector<double>>> release_totals(std::span<const int128> totals,
                                                       Permit&& permit, SecureStream& stream) const;

 private:
  Sums(std::vector<Clamp> clamps, Grid grid, AdditiveNoise noise, Interval interval);

  std::vector<Clamp> clamps_;
  Grid grid_;
  AdditiveNoise noise_;
  Interval interval_;
};

}  // namespace tacit
