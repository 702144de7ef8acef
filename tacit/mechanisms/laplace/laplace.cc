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

DiscreteLaplaceMechanism::DiscreteLaplaceMechanism(Rational scale, std::uint64_t coordinates,
                                                   Cost cost, DiscreteLaplace sampler,
                                                   Interval interval)
    : scale_(std::move(scale)),
      coordinates_(coordinates),
      cost_(std::move(cost)),
      sampler_(std::move(sampler)),
      interval_(interval) {}

Result<DiscreteLaplaceMechanism> DiscreteLaplaceMechanism::create(const Rational& epsilon,
                                                                  const Sensitivity& sensitivity) {
  if (epsilon.sign() <= 0) {
    return bad_input("epsilon must be above 0", "Laplace noise", "give a number such as 0.5");
  }
  TACIT_RETURN_IF_ERROR(internal::check_moves(sensitivity.l1));
  const Rational scale = internal::from_word(sensitivity.l1) / epsilon;
  TACIT_ASSIGN_OR_RETURN(Cost cost, cost_of(epsilon, scale, sensitivity));
  TACIT_ASSIGN_OR_RETURN(DiscreteLaplace sampler, DiscreteLaplace::create(scale));
  const Interval interval{static_cast<double>(half_width_of(scale, kDefaultConfidence)),
                          kDefaultConfidence, IntervalKind::kExact};
  return DiscreteLaplaceMechanism(scale, sensitivity.coordinates, std::move(cost),
                                  std::move(sampler), interval);
}

Result<std::int64_t> DiscreteLaplaceMechanism::half_width(double confidence) const {
  TACIT_RETURN_IF_ERROR(internal::check_confidence(confidence));
  return half_width_of(scale_, confidence);
}

Result<Released<std::int64_t>> DiscreteLaplaceMechanism::release(std::int64_t value,
                                                                 Permit&& permit,
                                                                 SecureStream& stream) const {
  TACIT_ASSIGN_OR_RETURN(const auto noisy, release(std::span<const std::int64_t>(&value, 1),
                                                   std::move(permit), stream));
  return Released<std::int64_t>{noisy.value.front(), noisy.interval};
}

Result<Released<std::vector<std::int64_t>>> DiscreteLaplaceMechanism::release(
    std::span<const std::int64_t> values, Permit&& permit, SecureStream& stream) const {
  TACIT_ASSIGN_OR_RETURN(auto noisy, internal::add_noise(values, coordinates_, cost_, sampler_,
                                                         std::move(permit), stream));
  return Released<std::vector<std::int64_t>>{std::move(noisy), interval_};
}

Result<Released<std::vector<int128>>> DiscreteLaplaceMechanism::release(
    std::span<const int128> values, Permit&& permit, SecureStream& stream) const {
  TACIT_ASSIGN_OR_RETURN(auto noisy, internal::add_noise(values, coordinates_, cost_, sampler_,
                                                         std::move(permit), stream));
  return Released<std::vector<int128>>{std::move(noisy), interval_};
}

LaplaceMechanism::LaplaceMechanism(RealSteps steps, DiscreteLaplaceMechanism noise)
    : steps_(steps), noise_(std::move(noise)) {}

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

Result<double> LaplaceMechanism::half_width(double confidence) const {
  TACIT_ASSIGN_OR_RETURN(const std::int64_t steps, noise_.half_width(confidence));
  return grid().to_real_above(steps);
}

Result<Released<double>> LaplaceMechanism::release(double value, Permit&& permit,
                                                   SecureStream& stream) const {
  TACIT_ASSIGN_OR_RETURN(const auto noisy,
                         release(std::span<const double>(&value, 1), std::move(permit), stream));
  return Released<double>{noisy.value.front(), noisy.interval};
}

Result<Released<std::vector<double>>> LaplaceMechanism::release(std::span<const double> values,
                                                                Permit&& permit,
                                                                SecureStream& stream) const {
  TACIT_ASSIGN_OR_RETURN(const auto noisy,
                         noise_.release(std::span<const std::int64_t>(steps_.from_reals(values)),
                                        std::move(permit), stream));
  return steps_.to_reals(noisy);
}

}  // namespace tacit
