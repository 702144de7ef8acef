#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/int128.h"
#include "tacit/base/rational.h"
#include "tacit/mechanisms/grid.h"
#include "tacit/mechanisms/real_steps.h"
#include "tacit/mechanisms/release.h"
#include "tacit/mechanisms/sensitivity.h"
#include "tacit/privacy/cost.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/samplers.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

// Adds discrete Laplace noise to integers. proof.md says what it costs and why.
//
// Immutable after creation; may be shared between threads.
class DiscreteLaplaceMechanism {
 public:
  // Noise of scale sensitivity.l1 / epsilon. Refuses an epsilon or a sensitivity of 0, and scales
  // that the sampler does not reach (2^-30 to 2^40).
  static Result<DiscreteLaplaceMechanism> create(const Rational& epsilon,
                                                 const Sensitivity& sensitivity);

  [[nodiscard]] const Cost& cost() const { return cost_; }
  [[nodiscard]] const Rational& scale() const { return scale_; }
  // Of one coordinate: the noise is at most this with probability at least `confidence`.
  [[nodiscard]] Result<std::int64_t> half_width(double confidence) const;

  // One value for each coordinate of the sensitivity. Consumes the permit, which must be for
  // exactly cost().
  Result<Released<std::int64_t>> release(std::int64_t value, Permit&& permit,
                                         SecureStream& stream) const;
  Result<Released<std::vector<std::int64_t>>> release(std::span<const std::int64_t> values,
                                                      Permit&& permit, SecureStream& stream) const;
  // For totals that may not fit a word.
  Result<Released<std::vector<int128>>> release(std::span<const int128> values, Permit&& permit,
                                                SecureStream& stream) const;

 private:
  DiscreteLaplaceMechanism(Rational scale, std::uint64_t coordinates, Cost cost,
                           DiscreteLaplace sampler, Interval interval);

  Rational scale_;
  std::uint64_t coordinates_;
  Cost cost_;
  DiscreteLaplace sampler_;
  Interval interval_;  // at the default confidence
};

// Adds Laplace noise to real numbers, on a grid: see "Real numbers" in proof.md. For sums, use Sum.
class LaplaceMechanism {
 public:
  static Result<LaplaceMechanism> create(const Rational& epsilon, const RealSensitivity& claim);

  [[nodiscard]] const Cost& cost() const { return noise_.cost(); }
  [[nodiscard]] Grid grid() const { return steps_.grid(); }
  [[nodiscard]] Result<double> half_width(double confidence) const;

  Result<Released<double>> release(double value, Permit&& permit, SecureStream& stream) const;
  Result<Released<std::vector<double>>> release(std::span<const double> values, Permit&& permit,
                                                SecureStream& stream) const;

 private:
  LaplaceMechanism(RealSteps steps, DiscreteLaplaceMechanism noise);

  RealSteps steps_;
  DiscreteLaplaceMechanism noise_;
};

}  // namespace tacit
