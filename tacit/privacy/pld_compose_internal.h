#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tacit/privacy/fft_internal.h"
#include "tacit/privacy/pld_discretize_internal.h"

namespace tacit::pld {

// A law of the loss and how often it is composed with itself.
struct Component {
  Discretization law;
  std::uint64_t times = 1;
};

// How to sum losses: under the measure tilted by exp(tilt * loss), on a circle of at least
// `length`, for the sake of epsilons from `least` up. `chernoff`, above `tilt`, is the exponent by
// which what passes once around the circle is bounded. Any values give a true answer; good ones a
// sharp one.
struct Tilting {
  double tilt = 0;
  double chernoff = 0;
  double least = 0;
  double length = 0;
};

// The law of a sum of losses as the transform gives it, for one of the two bounds.
struct SummedLaw {
  // Tilted probabilities around the circle, of both laws: the upper as real, the lower as imaginary
  // parts. Each is off by at most `error`.
  std::shared_ptr<const std::vector<Complex>> circle;
  double Complex::* part = &Complex::re;
  // Where the circle is cut open, and the sum of losses there.
  std::size_t first_slot = 0;
  double first_loss = 0;
  double step = 1;
  double tilt = 0;
  // Logarithm of what the tilted measure was divided by.
  double log_scale = 0;
  double error = 0;
  // What the bound of delta adds to the payoff of the sums in the window: the probability of an
  // infinite loss, and what the circle lost (upper) or holds twice (lower, which is taken off).
  double constant = 0;

  [[nodiscard]] std::size_t size() const { return circle->size(); }
  // The tilted probability of the sum first_loss + place * step.
  [[nodiscard]] double tilted(std::size_t place) const {
    return (*circle)[(first_slot + place) & (circle->size() - 1)].*part;
  }
};

// Both laws of the sum, and the slack of the whole.
struct Composition {
  SummedLaw upper;
  SummedLaw lower;
  double slack = 0;

  // Proved bounds of the composed pair's delta at epsilon, and of its epsilon at delta (at least 0;
  // infinity where no epsilon will do).
  [[nodiscard]] double delta_upper(double epsilon) const;
  [[nodiscard]] double delta_lower(double epsilon) const;
  [[nodiscard]] double epsilon_upper(double delta) const;
  [[nodiscard]] double epsilon_lower(double delta) const;
};

// All components lie on lattices of one step (their origins may differ).
Composition compose(std::span<const Component> components, const Tilting& tilting);

// The largest value of e^(-tilt x) (1 - e^-x), x >= 0, in logarithm.
double log_largest_payoff(double tilt);

}  // namespace tacit::pld
