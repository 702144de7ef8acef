#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/mechanisms/clamp.h"
#include "tacit/mechanisms/noise.h"

namespace tacit {

struct GroupSumsParameters {
  // Values are clamped to these (clamp.h says how).
  Rational lower;
  Rational upper;
  // The column holds integers: its values are not rounded to a finer grid.
  bool whole_numbers = false;
  GroupContribution contribution;
  NoiseTarget target;
};

// The sum of a column in each of any number of groups, from exact sums in fixed point that an
// engine computed. What it costs does not depend on how many groups there are, so it is known
// before they are. Immutable; may be shared between threads.
class GroupSums {
 public:
  static Result<GroupSums> create(const GroupSumsParameters& parameters);

  [[nodiscard]] const Cost& cost() const { return noise_.cost(); }
  // Of each sum by itself.
  [[nodiscard]] Result<double> half_width(double confidence) const;
  // How a row becomes a number of steps: the engine must do the same, and add in integers.
  [[nodiscard]] const Clamp& clamp() const { return clamp_; }

  // The exact sum of each group, in steps.
  Result<Released<std::vector<double>>> release_totals(std::span<const int128> totals,
                                                       Permit&& permit, SecureStream& stream) const;
  Result<Released<std::vector<double>>> release_totals(std::span<const std::int64_t> totals,
                                                       Permit&& permit, SecureStream& stream) const;

 private:
  GroupSums(Clamp clamp, AdditiveNoise noise, Interval interval);

  Clamp clamp_;
  AdditiveNoise noise_;
  Interval interval_;
};

}  // namespace tacit
