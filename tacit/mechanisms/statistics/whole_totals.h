#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/mechanisms/noise.h"

namespace tacit {

// Noise on exact whole numbers that were computed elsewhere: counts and sums of integer columns, of
// any number of groups, from a database engine. Whoever computed them answers for the sensitivity,
// which sensitivity.h derives from what a unit may contribute. Count and Histogram are made of it.
// Immutable; may be shared between threads.
class WholeTotals {
 public:
  // `sensitivity` is in whole numbers. Refuses one of 0.
  static Result<WholeTotals> create(const Sensitivity& sensitivity, const NoiseShare& share);
  static Result<WholeTotals> create(const Sensitivity& sensitivity, const NoiseTarget& target);
  // The number of rows in each of any number of groups.
  static Result<WholeTotals> group_counts(const GroupContribution& contribution,
                                          const NoiseTarget& target);

  [[nodiscard]] const Cost& cost() const { return noise_.cost(); }
  // Of each total by itself.
  [[nodiscard]] Result<double> half_width(double confidence) const;

  // As many totals as the sensitivity is of. Answers are unbiased, and negative where the noise
  // says so; one that does not fit a word is the nearest that does.
  Result<Released<std::vector<std::int64_t>>> release(std::span<const int128> totals,
                                                      Permit&& permit, SecureStream& stream) const;
  Result<Released<std::vector<std::int64_t>>> release(std::span<const std::int64_t> totals,
                                                      Permit&& permit, SecureStream& stream) const;
  Result<Released<std::vector<std::int64_t>>> release(std::span<const std::uint64_t> totals,
                                                      Permit&& permit, SecureStream& stream) const;

 private:
  WholeTotals(Grid grid, AdditiveNoise noise, Interval interval);

  template <class Integer>
  Result<Released<std::vector<std::int64_t>>> release_any(std::span<const Integer> totals,
                                                          Permit&& permit,
                                                          SecureStream& stream) const;

  Grid grid_;  // not coarser than the whole numbers
  AdditiveNoise noise_;
  Interval interval_;
};

}  // namespace tacit
