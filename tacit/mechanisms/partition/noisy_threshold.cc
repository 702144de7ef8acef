#include "tacit/mechanisms/partition/noisy_threshold.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacit/mechanisms/additive_internal.h"
#include "tacit/mechanisms/gaussian/analytic.h"
#include "tacit/mechanisms/gaussian/gaussian.h"
#include "tacit/mechanisms/partition/thresholds.h"
#include "tacit/mechanisms/real_steps.h"
#include "tacit/privacy/gaussian_dp.h"

namespace tacit {

namespace {

constexpr std::uint64_t kMostGroups = std::uint64_t{1} << 30;

// The z for which a normal number of variance 1 is at least z with this probability, below 1/2.
double normal_tail_point(double probability) {
  double low = 0;
  double high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) / 2 > probability ? low : high) = middle;
  }
  return high;
}

// How far the threshold lies above one, but for a factor, where i of kParts parts of delta pay for
// it.
constexpr std::int64_t kParts = 256;
Result<double> above_one(const PartitionPrivacy& privacy, std::int64_t i) {
  const double part = (privacy.delta / Rational(kParts)).approximate();
  TACIT_ASSIGN_OR_RETURN(const double multiplier,
                         analytic_gaussian_multiplier(privacy.epsilon.approximate(),
                                                      part * static_cast<double>(kParts - i)));
  return multiplier * normal_tail_point(part * static_cast<double>(i) /
                                        static_cast<double>(privacy.groups_per_unit));
}

// The part of delta that pays for the threshold where that is least: proof.md, theorem 4.
Result<Rational> threshold_part(const PartitionPrivacy& privacy) {
  std::int64_t low = 1;
  std::int64_t high = kParts - 1;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    TACIT_ASSIGN_OR_RETURN(const double here, above_one(privacy, middle));
    TACIT_ASSIGN_OR_RETURN(const double next, above_one(privacy, middle + 1));
    if (next < here) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return privacy.delta * Rational(low) / Rational(kParts);
}

// The grid of ../proof.md for `groups` counts that move, not coarser than whole numbers.
Result<Grid> counting_grid(const Rational& rho, std::uint64_t groups) {
  const double norm = std::sqrt(static_cast<double>(groups)) * (1 + 1e-12);
  TACIT_ASSIGN_OR_RETURN(const Rational sensitivity, Rational::exactly(norm));
  TACIT_ASSIGN_OR_RETURN(const Rational ratio, internal::gaussian_noise_ratio(rho));
  TACIT_ASSIGN_OR_RETURN(const Grid grid, choose_grid(sensitivity, ratio));
  return std::min(grid, Grid());
}

// What `groups` counts moving by one each cost on the grid with `steps` steps to one.
Result<DiscreteGaussianMechanism> noise_on_counts(const Rational& rho, std::uint64_t groups,
                                                  std::uint64_t steps) {
  return DiscreteGaussianMechanism::create(rho, {.l1 = groups * steps,
                                                 .squared_l2 = groups * steps * steps,
                                                 .coordinates = groups,
                                                 .one_coordinate = groups == 1});
}

}  // namespace

NoisyThreshold::NoisyThreshold(Sampler sampler, Grid grid, std::int64_t threshold, Cost cost)
    : sampler_(std::move(sampler)), grid_(grid), threshold_(threshold), cost_(std::move(cost)) {}

// A group of one unit passes when 1 + noise >= threshold; a unit may have groups_per_unit such
// groups, and all of them share delta.
Result<NoisyThreshold> NoisyThreshold::laplace(const PartitionPrivacy& privacy) {
  TACIT_RETURN_IF_ERROR(check(privacy));
  const Rational groups(mpq_class(privacy.groups_per_unit));
  const Rational scale = groups / privacy.epsilon;
  TACIT_ASSIGN_OR_RETURN(DiscreteLaplace sampler, DiscreteLaplace::create(scale));
  TACIT_ASSIGN_OR_RETURN(const std::int64_t tail,
                         discrete_laplace_tail_point(scale, privacy.delta / groups));
  TACIT_ASSIGN_OR_RETURN(Cost one_group, Cost::leaf(cost::DiscreteLaplace{scale, 1}));
  TACIT_ASSIGN_OR_RETURN(Cost noise, Cost::repeat(privacy.groups_per_unit, std::move(one_group)));
  TACIT_ASSIGN_OR_RETURN(Cost hidden, Cost::leaf(cost::Approximate{0, privacy.delta}));
  TACIT_ASSIGN_OR_RETURN(Cost both, Cost::compose({std::move(noise), std::move(hidden)}));
  TACIT_ASSIGN_OR_RETURN(Cost cost, under(privacy.neighbours, std::move(both)));
  return NoisyThreshold(std::move(sampler), Grid(), 1 + tail, std::move(cost));
}

Result<NoisyThreshold> NoisyThreshold::gaussian(const GaussianNoise& noise) {
  TACIT_RETURN_IF_ERROR(
      check({Rational(1), noise.threshold_delta, noise.groups_per_unit, noise.neighbours}));
  const Rational groups(mpq_class(noise.groups_per_unit));
  TACIT_ASSIGN_OR_RETURN(DiscreteGaussian sampler, DiscreteGaussian::create(noise.variance));
  TACIT_ASSIGN_OR_RETURN(
      const std::int64_t tail,
      discrete_gaussian_tail_point(noise.variance, noise.threshold_delta / groups));
  TACIT_ASSIGN_OR_RETURN(Cost moved,
                         Cost::leaf(cost::DiscreteGaussian{noise.variance, noise.groups_per_unit,
                                                           noise.groups_per_unit}));
  TACIT_ASSIGN_OR_RETURN(Cost hidden, Cost::leaf(cost::Approximate{0, noise.threshold_delta}));
  TACIT_ASSIGN_OR_RETURN(Cost both, Cost::compose({std::move(moved), std::move(hidden)}));
  TACIT_ASSIGN_OR_RETURN(Cost cost, under(noise.neighbours, std::move(both)));
  return NoisyThreshold(std::move(sampler), Grid(), 1 + tail, std::move(cost));
}

Result<NoisyThreshold> NoisyThreshold::gaussian(const PartitionPrivacy& privacy) {
  TACIT_RETURN_IF_ERROR(check(privacy));
  const std::uint64_t groups = privacy.groups_per_unit;
  if (groups > kMostGroups) return bad_input("must be at most 2^30", "groups per unit");
  TACIT_ASSIGN_OR_RETURN(const Rational hidden_delta, threshold_part(privacy));
  const Rational noise_delta = privacy.delta - hidden_delta;
  TACIT_ASSIGN_OR_RETURN(const Rational rho, gaussian_rho(privacy.epsilon, noise_delta));
  TACIT_ASSIGN_OR_RETURN(const Grid grid, counting_grid(rho, groups));
  const int bits = -grid.exponent();
  TACIT_ASSIGN_OR_RETURN(const auto noise, noise_on_counts(rho, groups, std::uint64_t{1} << bits));
  TACIT_RETURN_IF_ERROR(
      check_discrete_share(privacy.epsilon, noise_delta, noise.variance(), groups, 1));
  TACIT_ASSIGN_OR_RETURN(
      const std::int64_t tail,
      discrete_gaussian_tail_point(noise.variance(), hidden_delta / internal::from_word(groups)));
  TACIT_ASSIGN_OR_RETURN(Cost hidden, Cost::leaf(cost::Approximate{0, hidden_delta}));
  TACIT_ASSIGN_OR_RETURN(Cost both, Cost::compose({noise.cost(), std::move(hidden)}));
  TACIT_ASSIGN_OR_RETURN(Cost cost, under(privacy.neighbours, std::move(both)));
  TACIT_ASSIGN_OR_RETURN(DiscreteGaussian sampler, DiscreteGaussian::create(noise.variance()));
  const std::int64_t hidden_units = ((tail - 1) >> bits) + 1;
  return NoisyThreshold(std::move(sampler), grid, 1 + hidden_units, std::move(cost));
}

Result<Released<std::vector<NoisyIndex>>> NoisyThreshold::select(
    std::span<const std::uint64_t> units, Permit&& permit, SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost_));
  std::vector<std::int64_t> noise(units.size());
  std::visit([&](const auto& sampler) { sampler.fill(stream, noise); }, sampler_);
  const int128 one = int128{1} << -grid_.exponent();
  std::vector<NoisyIndex> shown;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const int128 noisy = int128{units[i]} * one + noise[i];
    // A group that no unit has is not present, however lucky its noise.
    if (units[i] > 0 && noisy >= threshold_ * one) shown.push_back({i, grid_.to_whole(noisy)});
  }
  return Released<std::vector<NoisyIndex>>{std::move(shown), {}};
}

Result<Released<std::vector<NoisyGroup>>> NoisyThreshold::release(
    std::span<const GroupCount> groups, Permit&& permit, SecureStream& stream) const {
  TACIT_ASSIGN_OR_RETURN(const auto selected, select(units_of(groups), std::move(permit), stream));
  std::vector<NoisyGroup> shown;
  shown.reserve(selected.value.size());
  for (const auto& [index, noisy] : selected.value) shown.push_back({groups[index].key, noisy});
  std::ranges::sort(shown, {}, &NoisyGroup::key);
  return Released<std::vector<NoisyGroup>>{std::move(shown), {}};
}

}  // namespace tacit
