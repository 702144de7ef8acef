#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tacit/mechanisms/clamp.h"
#include "tacit/mechanisms/release.h"
#include "tacit/mechanisms/sensitivity.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

class WeightedChoice;

// Quantiles of values between public bounds, by the exponential mechanism over all grid points
// between them (Smith 2011): a point loses by the number of values by which it misses the asked
// share below it, or above it. Exact, also where many values are equal. The proof is in proof.md.
//
// There is no private minimum or maximum worth having: one row decides it. minimum() and maximum()
// are the quantiles low_share() and 1 - low_share(). Immutable; may be shared between threads.
class Quantile {
 public:
  // 1/200.
  static Rational low_share();

  // `shares` are the quantiles asked (1/2 is the median), strictly between 0 and 1, with
  // denominators of at most 10^6; `epsilon` is for each of them. Values are clamped.
  static Result<Quantile> create(std::vector<Rational> shares, Clamp clamp, Rational epsilon,
                                 Contribution contribution = {});
  static Result<Quantile> minimum(Clamp clamp, Rational epsilon, Contribution contribution = {});
  static Result<Quantile> maximum(Clamp clamp, Rational epsilon, Contribution contribution = {});

  [[nodiscard]] const Cost& cost() const { return cost_; }

  // One value for each share, in the order asked. Shares that ascend give values that do not
  // descend only by chance; sorting them is free.
  Result<Released<std::vector<double>>> release(std::span<const double> values, Permit&& permit,
                                                SecureStream& stream) const;
  Result<Released<std::vector<double>>> release(std::span<const std::int64_t> values,
                                                Permit&& permit, SecureStream& stream) const;

 private:
  // share = below / (below + above).
  struct Target {
    std::uint64_t below = 0;
    std::uint64_t above = 0;
    std::shared_ptr<const WeightedChoice> choice;
  };

  Quantile(std::vector<Target> targets, Clamp clamp, Cost cost);

  template <class Value>
  Result<Released<std::vector<double>>> release_any(std::span<const Value> values, Permit&& permit,
                                                    SecureStream& stream) const;

  std::vector<Target> targets_;
  Clamp clamp_;
  Cost cost_;
};

}  // namespace tacit
