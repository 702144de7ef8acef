#include "tacit/learn/pate/sanitiser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace tacit::learn {
namespace {

// Steps of the noise into which the guessed sensitivity is divided.
constexpr int kStepBits = 20;
constexpr std::uint64_t kSensitivity = (1U << kStepBits) + 1;
constexpr double kConfidence = 1 - 1e-9;

// The claim for the logarithm: rounding errors of logarithms are below 2^-40 of it.
Rational claimed(const Rational& smoothness) { return smoothness * (1 + Rational(1) / (1 << 20)); }

// What Gaussian noise for rho / 2 exceeds with probability at most delta 2^-40: discrete Gaussian
// noise has tails at most exp(-w^2 / (2 variance)) (Canonne, Kamath, Steinke 2020), and rounding to
// the grid raises the sensitivity by less than a thousandth.
double margin(const SanitiserPlan& plan) {
  const double deviation =
      1.001 * claimed(plan.smoothness).approximate() / std::sqrt(plan.rho.approximate());
  const double log_tail = std::log(plan.delta.approximate()) - 40 * std::log(2.0);
  return deviation * std::sqrt(-2 * log_tail);
}

// The nearest multiple of 2^exponent, in such multiples.
int128 in_steps(std::uint64_t units, int exponent) {
  if (exponent <= 0) return int128{units} << std::min(-exponent, kStepBits);
  if (exponent > 63) return 0;
  return (int128{units} + (int128{1} << (exponent - 1))) >> exponent;
}

}  // namespace

Sanitiser::Sanitiser(SanitiserPlan plan, GaussianMechanism scale, DiscreteGaussianMechanism value,
                     Cost guess, Cost cost)
    : plan_(std::move(plan)),
      scale_(std::move(scale)),
      value_(std::move(value)),
      guess_(std::move(guess)),
      cost_(std::move(cost)) {}

Result<Sanitiser> Sanitiser::create(const SanitiserPlan& plan) {
  // Below that, rounding errors of a logarithm would pass what claimed() allows for them.
  const Rational least_smoothness = Rational(1) / 100'000;
  if (plan.smoothness < least_smoothness || plan.rho <= 0 || plan.delta <= 0 || plan.delta >= 1) {
    return bad_input("smoothness must be 10^-5 or more, rho and delta above 0, and delta below 1",
                     "the release of the cost in hindsight",
                     "a smoothness of 1/50 and a rho of 1/100 are usual");
  }
  const Rational half = plan.rho / 2;
  TACIT_ASSIGN_OR_RETURN(auto scale,
                         GaussianMechanism::create(half, {.norm = claimed(plan.smoothness)}));
  TACIT_ASSIGN_OR_RETURN(
      auto value, DiscreteGaussianMechanism::create(
                      half, {.l1 = kSensitivity, .squared_l2 = kSensitivity * kSensitivity}));
  TACIT_ASSIGN_OR_RETURN(Cost guess,
                         Cost::leaf(cost::Approximate{.epsilon = 0, .delta = plan.delta}));
  TACIT_ASSIGN_OR_RETURN(Cost cost, Cost::compose({scale.cost(), value.cost(), guess}));
  return Sanitiser(plan, std::move(scale), std::move(value), std::move(guess), std::move(cost));
}

Result<double> Sanitiser::release(const VoteRecord& record, Permit&& permit,
                                  SecureStream& stream) const {
  Permit held = std::move(permit);
  TACIT_ASSIGN_OR_RETURN(Permit for_guess, held.take(guess_));
  TACIT_ASSIGN_OR_RETURN(Permit for_scale, held.take(scale_.cost()));
  TACIT_ASSIGN_OR_RETURN(Permit for_value, held.take(value_.cost()));
  TACIT_RETURN_IF_ERROR(std::move(for_guess).consume(guess_));
  const double secret = std::log(smooth_sensitivity(record, plan_.smoothness.approximate()));
  TACIT_ASSIGN_OR_RETURN(const auto noisy, scale_.release(secret, std::move(for_scale), stream));
  // From here on the scale is public. Units are those of HindsightTable.
  const double log2_scale = (noisy.value + margin(plan_)) / std::log(2.0);
  const int exponent = static_cast<int>(std::clamp(std::ceil(log2_scale), 0.0, 100.0)) - kStepBits;

  const std::array<int128, 1> steps{in_steps(record.cost(), exponent)};
  TACIT_ASSIGN_OR_RETURN(const auto released, value_.release(std::span<const int128>(steps),
                                                             std::move(for_value), stream));
  TACIT_ASSIGN_OR_RETURN(const std::int64_t half_width, value_.half_width(kConfidence));
  // One step for what rounding to steps took away.
  const double above =
      static_cast<double>(released.value.front()) + static_cast<double>(half_width) + 1;
  return std::max(0.0, std::ldexp(above, exponent - HindsightTable::kUnitBits));
}

}  // namespace tacit::learn
