#include "tacit/mechanisms/laplace/laplace.h"

#include <cmath>
#include <utility>

#include "tacit/mechanisms/additive_internal.h"

namespace tacit {
namespace {

// An upper bound on P(|X| > w), less than one part in 10^12 above it for the half-widths of any
// confidence below 1 - 1e-300: the exponent is below 700 and carries three roundings.
double tail_above(double scale, std::int64_t w) {
  const double q_power = std::exp(-(static_cast<double>(w) + 1) / scale);
  return 2 * q_power / (1 + std::exp(-1 / scale)) * (1 + 1e-12);
}

std::int64_t half_width_of(const Rational& scale, double confidence) {
  const double s = scale.approximate();
  const double alpha = 1 - confidence;
  const double guess = s * std::log(2 / (alpha * (1 + std::exp(-1 / s)))) - 1;
  return internal::smallest_half_width(alpha, guess,
                                       [&](std::int64_t w) { return tail_above(s, w); });
}

Result<Cost> cost_of(const Rational& epsilon, const Rational& scale,
                     const Sensitivity& sensitivity) {
  if (sensitivity.one_coordinate) {
    return Cost::leaf(cost::DiscreteLaplace{scale, sensitivity.l1}, sensitivity.neighbours);
  }
  return Cost::leaf(cost::Pure{epsilon}, sensitivity.neighbours);
}

}  // namespace

DiscreteLaplaceMechanism::DiscreteLaplaceMechanism(Rational scale, const Sensitivity& sensitivity,
                                                   Cost cost, DiscreteLaplace sampler)
    : IntegerMechanism(sensitivity, std::move(cost), std::move(sampler),
                       {static_cast<double>(half_width_of(scale, kDefaultConfidence)),
                        kDefaultConfidence, IntervalKind::kExact}),
      scale_(std::move(scale)) {}

Result<DiscreteLaplaceMechanism> DiscreteLaplaceMechanism::create(const Rational& epsilon,
                                                                  const Sensitivity& sensitivity) {
  if (epsilon.sign() <= 0) {
    return bad_input("epsilon must be above 0", "Laplace noise", "give a number such as 0.5");
  }
  TACIT_RETURN_IF_ERROR(internal::check_moves(sensitivity.l1));
  Rational scale = internal::from_word(sensitivity.l1) / epsilon;
  TACIT_ASSIGN_OR_RETURN(Cost cost, cost_of(epsilon, scale, sensitivity));
  TACIT_ASSIGN_OR_RETURN(DiscreteLaplace sampler, DiscreteLaplace::create(scale));
  return DiscreteLaplaceMechanism(std::move(scale), sensitivity, std::move(cost),
                                  std::move(sampler));
}

Result<std::int64_t> DiscreteLaplaceMechanism::half_width(double confidence) const {
  TACIT_RETURN_IF_ERROR(internal::check_confidence(confidence));
  return half_width_of(scale_, confidence);
}

Result<LaplaceMechanism> LaplaceMechanism::create(const Rational& epsilon,
                                                  const RealSensitivity& claim) {
  if (epsilon.sign() <= 0) {
    return bad_input("epsilon must be above 0", "Laplace noise", "give a number such as 0.5");
  }
  TACIT_ASSIGN_OR_RETURN(const RealSteps steps, RealSteps::for_l1(claim, Rational(1) / epsilon));
  TACIT_ASSIGN_OR_RETURN(auto noise,
                         DiscreteLaplaceMechanism::create(epsilon, steps.sensitivity()));
  return LaplaceMechanism(steps, std::move(noise));
}

}  // namespace tacit
