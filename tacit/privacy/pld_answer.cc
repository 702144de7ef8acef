#include <algorithm>
#include <cmath>
#include <limits>

#include "tacit/privacy/pld_compose_internal.h"

namespace tacit::pld {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A bound of something that is not negative, from above (sign > 0) or below. What left the range of
// doubles bounds nothing.
double bound_or_none(double value, double sign) {
  if (std::isnan(value)) return sign > 0 ? kInfinity : 0;
  return std::max(value, 0.0);
}

// Walks down a window of sums, keeping at each place j the two sums over the places from j up:
//   slow = sum tilted[i] e^(-tilt (i - j) step),   fast = the same with tilt + 1,
// so that at epsilon = loss(j) - r, with 0 <= r <= step,
//   E[e^(-tilt (S - epsilon)) (1 - e^(epsilon - S))+] = e^(-tilt r) slow - e^(-(tilt + 1) r) fast.
class Descent {
 public:
  Descent(const SummedLaw& law, double sign)
      : law_(&law),
        slow_decay_(std::exp(-law.tilt * law.step)),
        fast_decay_(std::exp(-(law.tilt + 1) * law.step)),
        sign_(sign) {
    const auto places = static_cast<double>(law.size());
    // Payoffs sum to at most their largest and their integral over the step.
    const double largest = std::exp(log_largest_payoff(law.tilt));
    const double payoffs = std::min(
        places * largest, largest + (1 / std::max(law.tilt * (law.tilt + 1) * law.step, 1e-300)));
    fixed_error_ = law.error * payoffs;
    recurrence_error_ = 4 * (places + 16) * kUnit;
  }

  // Goes down one place.
  void step_down() {
    --place_;
    const double mass = law_->tilted(static_cast<std::size_t>(place_));
    slow_ = mass + (slow_decay_ * slow_);
    fast_ = mass + (fast_decay_ * fast_);
  }

  [[nodiscard]] std::int64_t place() const { return place_; }
  [[nodiscard]] double loss() const {
    return law_->first_loss + (law_->step * static_cast<double>(place_));
  }

  // The bound of the tilted payoff at epsilon = loss().
  [[nodiscard]] double payoff() const { return bounded(slow_, fast_); }

  // The bound of E[(1 - e^(epsilon - S))+; S finite] there.
  [[nodiscard]] double delta(double r) const {
    const double value =
        bounded(std::exp(-law_->tilt * r) * slow_, std::exp(-(law_->tilt + 1) * r) * fast_);
    if (value <= 0) return 0;
    return bound_or_none(std::exp(law_->log_scale - (law_->tilt * (loss() - r)) + std::log(value)),
                         sign_);
  }

 private:
  [[nodiscard]] double bounded(double slow, double fast) const {
    const double doubt = fixed_error_ + (recurrence_error_ * (std::abs(slow) + std::abs(fast)));
    return slow - fast + (sign_ * doubt);
  }

  const SummedLaw* law_;
  double slow_decay_;
  double fast_decay_;
  double sign_;
  double fixed_error_ = 0;
  double recurrence_error_ = 0;
  double slow_ = 0;
  double fast_ = 0;
  std::int64_t place_ = static_cast<std::int64_t>(law_->size());
};

double finite_delta(const SummedLaw& law, double epsilon, double sign) {
  Descent descent(law, sign);
  while (descent.place() > 0 && descent.loss() - law.step > epsilon) descent.step_down();
  return descent.delta(descent.loss() - epsilon);
}

// Payoffs above this at `loss` mean that delta is above the target, but for a margin on the side of
// `sign` for rounding.
class Threshold {
 public:
  Threshold(const SummedLaw& law, double target, double sign)
      : tilt_(law.tilt), log_target_(std::log(target) - law.log_scale - (sign * kMargin)) {}

  [[nodiscard]] double at(double loss) const { return std::exp(log_target_ + (tilt_ * loss)); }

 private:
  static constexpr double kMargin = 0x1p-24;

  double tilt_;
  double log_target_;
};

// An epsilon whose bound is at most (sign > 0) or above (sign < 0) `target`, and as near to where
// it crosses as doubles tell.
double crossing(const SummedLaw& law, double target, double sign) {
  const Threshold threshold(law, target, sign);
  // No number is no proof that the crossing lies further down.
  const auto passes = [&](const Descent& at) { return !(at.payoff() <= threshold.at(at.loss())); };
  // By strides first, then one by one within the stride that passes it.
  constexpr std::int64_t kStride = 16;
  Descent above(law, sign);
  for (Descent next = above; next.place() >= kStride && next.loss() > 0; above = next) {
    for (std::int64_t i = 0; i < kStride; ++i) next.step_down();
    if (passes(next)) break;
  }
  Descent descent = above;
  while (descent.place() > 0 && descent.loss() > 0) {
    above = descent;
    descent.step_down();
    if (passes(descent)) break;
  }
  double low = std::max(descent.loss(), 0.0);
  double high = std::max(above.loss(), 0.0);
  const auto is_above = [&](double epsilon) {
    return above.delta(above.loss() - epsilon) > target;
  };
  if (!is_above(low)) return sign > 0 ? low : 0;
  if (is_above(high)) return sign > 0 ? kInfinity : high;
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (is_above(middle) ? low : high) = middle;
  }
  return sign > 0 ? high : low;
}

}  // namespace

double Composition::delta_upper(double epsilon) const {
  const double reached = std::max(epsilon - slack, upper.first_loss);
  const double at_reached = std::exp(slack) * (upper.constant + finite_delta(upper, reached, 1));
  // Below the window: the curve is convex in e^epsilon and starts at 1.
  const double weight = std::exp(std::min(epsilon - slack - reached, 0.0));
  return std::min(bound_or_none((weight * at_reached) + (1 - weight), 1), 1.0);
}

double Composition::delta_lower(double epsilon) const {
  // What the circle holds twice is bounded from the window's first loss up.
  const double reached = std::max(epsilon + slack, lower.first_loss);
  return bound_or_none(std::exp(-slack) * (lower.constant + finite_delta(lower, reached, -1)), -1);
}

double Composition::epsilon_upper(double delta) const {
  const double target = (delta * std::exp(-slack)) - upper.constant;
  if (!(target > 0)) return kInfinity;
  return crossing(upper, target, 1) + slack;
}

double Composition::epsilon_lower(double delta) const {
  const double target = (delta * std::exp(slack)) - lower.constant;
  if (std::isnan(target)) return 0;
  if (target <= 0) return kInfinity;
  return std::max(crossing(lower, target, -1) - slack, 0.0);
}

}  // namespace tacit::pld
