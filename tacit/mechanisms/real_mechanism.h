#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/mechanisms/grid.h"
#include "tacit/mechanisms/real_steps.h"
#include "tacit/mechanisms/release.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

// Noise on real numbers by noise on integers: the values are rounded to a grid, `Discrete` releases
// the steps, and these are read as reals again. "Real numbers" in laplace/proof.md and
// gaussian/proof.md say what the rounding costs. For sums, use Sum.
//
// Immutable after creation; may be shared between threads.
template <class Discrete>
class RealMechanism {
 public:
  [[nodiscard]] const Cost& cost() const { return noise_.cost(); }
  [[nodiscard]] Grid grid() const { return steps_.grid(); }
  [[nodiscard]] Result<double> half_width(double confidence) const {
    TACIT_ASSIGN_OR_RETURN(const std::int64_t steps, noise_.half_width(confidence));
    return grid().to_real_above(steps);
  }

  Result<Released<double>> release(double value, Permit&& permit, SecureStream& stream) const {
    TACIT_ASSIGN_OR_RETURN(const auto noisy,
                           release(std::span<const double>(&value, 1), std::move(permit), stream));
    return Released<double>{noisy.value.front(), noisy.interval};
  }
  Result<Released<std::vector<double>>> release(std::span<const double> values, Permit&& permit,
                                                SecureStream& stream) const {
    const std::vector<std::int64_t> steps = steps_.from_reals(values);
    TACIT_ASSIGN_OR_RETURN(const auto noisy, noise_.release(std::span<const std::int64_t>(steps),
                                                            std::move(permit), stream));
    return steps_.to_reals(noisy);
  }

 protected:
  RealMechanism(RealSteps steps, Discrete noise) : steps_(steps), noise_(std::move(noise)) {}

  [[nodiscard]] const Discrete& noise() const { return noise_; }

 private:
  RealSteps steps_;
  Discrete noise_;
};

}  // namespace tacit
