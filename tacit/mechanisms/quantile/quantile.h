#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tacit/mechanisms/clamp.h"
#include "tacit/mechanisms/quantile/grid_count.h"
#include "tacit/mechanisms/release.h"
#include "tacit/mechanisms/sensitivity.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

class QuantileCells;
class WeightedChoice;

struct QuantileOptions {
  // Of values: `rows` is the most values of one unit, all grid points together.
  Contribution contribution;
  // Of the interval of each quantile. Nothing: no interval, and all of epsilon goes to the value.
  std::optional<double> confidence = kDefaultConfidence;
};

// Quantiles of values between public bounds, by the exponential mechanism over all grid points
// between them (Smith 2011): a point loses by the number of values by which it misses the asked
// share below it, or above it. Exact, also where many values are equal. The interval comes from two
// further draws, one on each side. The proof is in proof.md.
//
// There is no private minimum or maximum worth having: one row decides it. minimum() and maximum()
// are the quantiles low_share() and 1 - low_share(). Immutable; may be shared between threads.
class Quantile {
 public:
  // 1/200.
  static Rational low_share();

  // `shares` are the quantiles asked (1/2 is the median), strictly between 0 and 1, with
  // denominators of at most 10^6; `epsilon` is for each of them, its interval included. Values are
  // clamped.
  static Result<Quantile> create(const std::vector<Rational>& shares, Clamp clamp,
                                 const Rational& epsilon, const QuantileOptions& options = {});
  static Result<Quantile> minimum(Clamp clamp, const Rational& epsilon,
                                  const QuantileOptions& options = {});
  static Result<Quantile> maximum(Clamp clamp, const Rational& epsilon,
                                  const QuantileOptions& options = {});

  [[nodiscard]] const Cost& cost() const { return cost_; }
  // How a value becomes a grid point; an engine that counts must do the same.
  [[nodiscard]] const Clamp& clamp() const { return clamp_; }

  // One answer for each share, in the order asked. Shares that ascend give values that do not
  // descend only by chance; sorting them is free. The interval covers every point that is a
  // quantile of the clamped values.
  Result<std::vector<Released<double>>> release(std::span<const double> values, Permit&& permit,
                                                SecureStream& stream) const;
  Result<std::vector<Released<double>>> release(std::span<const std::int64_t> values,
                                                Permit&& permit, SecureStream& stream) const;
  // From how many values lie at each grid point, in any order; points without values may be left
  // out. Points outside the bounds are moved to the nearer one. Fewer than 2^63 values in all.
  Result<std::vector<Released<double>>> release_counts(std::span<const GridCount> counts,
                                                       Permit&& permit, SecureStream& stream) const;

 private:
  friend class GroupQuantiles;  // draws for many groups under one permit

  // share = below / (below + above).
  struct Target {
    std::uint64_t below = 0;
    std::uint64_t above = 0;
    std::shared_ptr<const WeightedChoice> choice;
    // How many values are put on the ends of the range for the draws of the interval.
    std::uint64_t padding = 0;
  };

  Quantile(std::vector<Target> targets, Clamp clamp, std::optional<double> confidence, Cost cost);

  template <class Value>
  Result<std::vector<Released<double>>> release_values(std::span<const Value> values,
                                                       Permit&& permit, SecureStream& stream) const;
  [[nodiscard]] std::vector<Released<double>> draw_counts(std::span<const GridCount> counts,
                                                          SecureStream& stream) const;
  [[nodiscard]] std::vector<Released<double>> draw(const QuantileCells& cells,
                                                   SecureStream& stream) const;
  [[nodiscard]] Released<double> draw(const Target& target, const QuantileCells& cells,
                                      SecureStream& stream) const;

  std::vector<Target> targets_;
  Clamp clamp_;
  std::optional<double> confidence_;
  Cost cost_;
};

}  // namespace tacit
