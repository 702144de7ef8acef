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

// Adds discrete Gaussian noise to integers. proof.md says what it costs and why.
//
// Immutable after creation; may be shared between threads.
class DiscreteGaussianMechanism {
 public:
  // rho-zCDP: noise with variance parameter sensitivity.squared_l2 / (2 rho). Refuses a rho or a
  // sensitivity of 0, and variances that the sampler does not reach.
  static Result<DiscreteGaussianMechanism> create(const Rational& rho,
                                                  const Sensitivity& sensitivity);

  [[nodiscard]] const Cost& cost() const { return cost_; }
  [[nodiscard]] const Rational& variance() const { return variance_; }
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
  DiscreteGaussianMechanism(Rational variance, std::uint64_t coordinates, Cost cost,
                            DiscreteGaussian sampler, Interval interval);

  Rational variance_;
  std::uint64_t coordinates_;
  Cost cost_;
  DiscreteGaussian sampler_;
  Interval interval_;  // at the default confidence
};

// Adds Gaussian noise to real numbers, on a grid: see "Real numbers" in proof.md. For sums, use
// Sum.
class GaussianMechanism {
 public:
  // rho-zCDP.
  static Result<GaussianMechanism> create(const Rational& rho, const RealSensitivity& claim);
  // (epsilon, delta)-DP with the least noise that the analytic formula allows.
  static Result<GaussianMechanism> create(const Rational& epsilon, const Rational& delta,
                                          const RealSensitivity& claim);

  [[nodiscard]] const Cost& cost() const { return noise_.cost(); }
  [[nodiscard]] Grid grid() const { return steps_.grid(); }
  [[nodiscard]] Result<double> half_width(double confidence) const;

  Result<Released<double>> release(double value, Permit&& permit, SecureStream& stream) const;
  Result<Released<std::vector<double>>> release(std::span<const double> values, Permit&& permit,
                                                SecureStream& stream) const;

 private:
  GaussianMechanism(RealSteps steps, DiscreteGaussianMechanism noise);

  RealSteps steps_;
  DiscreteGaussianMechanism noise_;
};

}  // namespace tacit
