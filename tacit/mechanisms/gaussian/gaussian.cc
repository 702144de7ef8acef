#include "tacit/mechanisms/gaussian/gaussian.h"

#include <cmath>
#include <utility>

#include "tacit/mechanisms/additive_internal.h"
#include "tacit/mechanisms/gaussian/analytic.h"

namespace tacit {
namespace {

constexpr double kRoundingMargin = 1 + 1e-12;
constexpr double kSummedBelow = 64;

// Sum of exp(-x^2 / (2 variance)) over x >= first >= 1, from above: terms until they no longer
// count, then a geometric series, since the ratio of neighbouring terms falls.
double upper_sum(double variance, std::int64_t first) {
  double sum = 0;
  for (std::int64_t x = first;; ++x) {
    const auto at = static_cast<double>(x);
    const double term = std::exp(-at * at / (2 * variance));
    const double ratio = std::exp(-(2 * at + 1) / (2 * variance));
    sum += term;
    if (term * ratio <= sum * (1 - ratio) * 0x1p-60) return sum + term * ratio / (1 - ratio);
  }
}

// An upper bound on P(|X| > w) for sigma below kSummedBelow.
double summed_tail(double variance, std::int64_t w) {
  double all = 1;
  for (std::int64_t x = 1; static_cast<double>(x) < 40 * std::sqrt(variance) + 1; ++x) {
    const auto at = static_cast<double>(x);
    all += 2 * std::exp(-at * at / (2 * variance));
  }
  return 2 * upper_sum(variance, w + 1) / all * kRoundingMargin;
}

// An upper bound on P(|X| > w) for large sigma: "Half-width" in proof.md.
double integral_tail(double variance, std::int64_t w) {
  const double sigma = std::sqrt(variance);
  const auto at = static_cast<double>(w);
  const double from = at + 0.5 >= sigma * kRoundingMargin ? at + 0.5 : at;
  return std::erfc(from / (sigma * std::sqrt(2.0))) * kRoundingMargin;
}

// Where the bound by integrals crosses alpha: it falls, but for one step at sigma.
double crossing(double variance, double alpha) {
  double low = 0;
  double high = 40 * std::sqrt(variance) + 1;
  while (high - low > 1) {
    const double middle = std::floor(low + (high - low) / 2);
    (integral_tail(variance, static_cast<std::int64_t>(middle)) <= alpha ? high : low) = middle;
  }
  return high;
}

std::int64_t half_width_of(const Rational& variance, double confidence) {
  const double v = variance.approximate();
  const double alpha = 1 - confidence;
  const bool sums = std::sqrt(v) < kSummedBelow;
  return internal::smallest_half_width(alpha, crossing(v, alpha), [&](std::int64_t w) {
    return sums ? summed_tail(v, w) : integral_tail(v, w);
  });
}

}  // namespace

DiscreteGaussianMechanism::DiscreteGaussianMechanism(Rational variance,
                                                     const Sensitivity& sensitivity, Cost cost,
                                                     DiscreteGaussian sampler)
    : IntegerMechanism(sensitivity, std::move(cost), std::move(sampler),
                       {static_cast<double>(half_width_of(variance, kDefaultConfidence)),
                        kDefaultConfidence, IntervalKind::kExact}),
      variance_(std::move(variance)) {}

Result<DiscreteGaussianMechanism> DiscreteGaussianMechanism::create(
    const Rational& rho, const Sensitivity& sensitivity) {
  if (rho.sign() <= 0) {
    return bad_input("rho must be above 0", "Gaussian noise", "give a number such as 0.1");
  }
  TACIT_RETURN_IF_ERROR(internal::check_moves(sensitivity.squared_l2));
  Rational variance = internal::from_word(sensitivity.squared_l2) / (Rational(2) * rho);
  TACIT_ASSIGN_OR_RETURN(
      Cost cost,
      Cost::leaf(cost::DiscreteGaussian{variance, sensitivity.squared_l2, sensitivity.coordinates},
                 sensitivity.neighbours));
  TACIT_ASSIGN_OR_RETURN(DiscreteGaussian sampler, DiscreteGaussian::create(variance));
  return DiscreteGaussianMechanism(std::move(variance), sensitivity, std::move(cost),
                                   std::move(sampler));
}

Result<DiscreteGaussianMechanism> DiscreteGaussianMechanism::like_continuous(
    const Rational& multiplier, const Sensitivity& sensitivity) {
  TACIT_RETURN_IF_ERROR(internal::check_moves(sensitivity.squared_l2));
  TACIT_ASSIGN_OR_RETURN(
      Rational variance,
      variance_like_continuous(multiplier, internal::from_word(sensitivity.squared_l2),
                               sensitivity.coordinates));
  TACIT_ASSIGN_OR_RETURN(Cost cost, Cost::leaf(cost::Gaussian{multiplier}, sensitivity.neighbours));
  TACIT_ASSIGN_OR_RETURN(DiscreteGaussian sampler, DiscreteGaussian::create(variance));
  return DiscreteGaussianMechanism(std::move(variance), sensitivity, std::move(cost),
                                   std::move(sampler));
}

Result<std::int64_t> DiscreteGaussianMechanism::half_width(double confidence) const {
  TACIT_RETURN_IF_ERROR(internal::check_confidence(confidence));
  return half_width_of(variance_, confidence);
}

Result<GaussianMechanism> GaussianMechanism::create(const Rational& rho,
                                                    const RealSensitivity& claim) {
  if (rho.sign() <= 0) {
    return bad_input("rho must be above 0", "Gaussian noise", "give a number such as 0.1");
  }
  TACIT_ASSIGN_OR_RETURN(const Rational ratio, internal::gaussian_noise_ratio(rho));
  TACIT_ASSIGN_OR_RETURN(const RealSteps steps, RealSteps::for_l2(claim, ratio));
  TACIT_ASSIGN_OR_RETURN(auto noise, DiscreteGaussianMechanism::create(rho, steps.sensitivity()));
  return GaussianMechanism(steps, std::move(noise));
}

Result<GaussianMechanism> GaussianMechanism::create(const Rational& epsilon, const Rational& delta,
                                                    const RealSensitivity& claim) {
  TACIT_ASSIGN_OR_RETURN(const Rational rho, gaussian_rho(epsilon, delta));
  TACIT_ASSIGN_OR_RETURN(GaussianMechanism mechanism, create(rho, claim));
  const std::uint64_t moving = claim.one_coordinate ? 1 : claim.coordinates;
  TACIT_RETURN_IF_ERROR(
      check_discrete_share(epsilon, delta, mechanism.noise().variance(), moving, 1));
  return mechanism;
}

}  // namespace tacit
