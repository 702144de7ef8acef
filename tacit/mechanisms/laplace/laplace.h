#pragma once

#include <cstdint>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/mechanisms/integer_mechanism.h"
#include "tacit/mechanisms/real_mechanism.h"
#include "tacit/mechanisms/real_steps.h"
#include "tacit/mechanisms/sensitivity.h"

namespace tacit {

// Adds discrete Laplace noise to integers. proof.md says what it costs and why.
class DiscreteLaplaceMechanism : public IntegerMechanism<DiscreteLaplace> {
 public:
  // Noise of scale sensitivity.l1 / epsilon. Refuses an epsilon or a sensitivity of 0, and scales
  // that the sampler does not reach (2^-30 to 2^40).
  static Result<DiscreteLaplaceMechanism> create(const Rational& epsilon,
                                                 const Sensitivity& sensitivity);

  [[nodiscard]] const Rational& scale() const { return scale_; }
  // Of one coordinate: the noise is at most this with probability at least `confidence`.
  [[nodiscard]] Result<std::int64_t> half_width(double confidence) const;

 private:
  DiscreteLaplaceMechanism(Rational scale, const Sensitivity& sensitivity, Cost cost,
                           DiscreteLaplace sampler);

  Rational scale_;
};

// Adds Laplace noise to real numbers, on a grid.
class LaplaceMechanism : public RealMechanism<DiscreteLaplaceMechanism> {
 public:
  static Result<LaplaceMechanism> create(const Rational& epsilon, const RealSensitivity& claim);

 private:
  using RealMechanism::RealMechanism;
};

}  // namespace tacit
