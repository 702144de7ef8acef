#pragma once

#include <cstdint>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/mechanisms/integer_mechanism.h"
#include "tacit/mechanisms/real_mechanism.h"
#include "tacit/mechanisms/real_steps.h"
#include "tacit/mechanisms/sensitivity.h"

namespace tacit {

// Adds discrete Gaussian noise to integers. proof.md says what it costs and why.
class DiscreteGaussianMechanism : public IntegerMechanism<DiscreteGaussian> {
 public:
  // rho-zCDP: noise with variance parameter sensitivity.squared_l2 / (2 rho). Refuses a rho or a
  // sensitivity of 0, and variances that the sampler does not reach.
  static Result<DiscreteGaussianMechanism> create(const Rational& rho,
                                                  const Sensitivity& sensitivity);

  // Noise that tells neighbours apart no better than continuous Gaussian noise of that multiplier
  // (sigma / sensitivity), and costs that: theorem 3 of proof.md. The cost names no grid and no
  // sensitivity. Refuses a multiplier below 1/16 and more than 2^40 coordinates that move.
  static Result<DiscreteGaussianMechanism> like_continuous(const Rational& multiplier,
                                                           const Sensitivity& sensitivity);

  [[nodiscard]] const Rational& variance() const { return variance_; }
  // Of one coordinate: the noise is at most this with probability at least `confidence`.
  [[nodiscard]] Result<std::int64_t> half_width(double confidence) const;

 private:
  DiscreteGaussianMechanism(Rational variance, const Sensitivity& sensitivity, Cost cost,
                            DiscreteGaussian sampler);

  Rational variance_;
};

// Adds Gaussian noise to real numbers, on a grid.
class GaussianMechanism : public RealMechanism<DiscreteGaussianMechanism> {
 public:
  // rho-zCDP.
  static Result<GaussianMechanism> create(const Rational& rho, const RealSensitivity& claim);
  // (epsilon, delta)-DP with the least noise that the analytic formula allows.
  static Result<GaussianMechanism> create(const Rational& epsilon, const Rational& delta,
                                          const RealSensitivity& claim);

 private:
  using RealMechanism::RealMechanism;
};

}  // namespace tacit
