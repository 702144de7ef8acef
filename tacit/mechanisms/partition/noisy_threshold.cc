#include "tacit/mechanisms/partition/noisy_threshold.h"

#include <algorithm>
#include <utility>

#include "tacit/mechanisms/clamp.h"
#include "tacit/mechanisms/partition/thresholds.h"

namespace tacit {

NoisyThreshold::NoisyThreshold(Sampler sampler, std::int64_t threshold, Cost cost)
    : sampler_(std::move(sampler)), threshold_(threshold), cost_(std::move(cost)) {}

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
  return NoisyThreshold(std::move(sampler), 1 + tail, std::move(cost));
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
  return NoisyThreshold(std::move(sampler), 1 + tail, std::move(cost));
}

Result<Released<std::vector<NoisyGroup>>> NoisyThreshold::release(
    std::span<const GroupCount> groups, Permit&& permit, SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost_));
  std::vector<std::int64_t> noise(groups.size());
  std::visit([&](const auto& sampler) { sampler.fill(stream, noise); }, sampler_);
  std::vector<NoisyGroup> shown;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::int64_t noisy = saturate(static_cast<int128>(groups[i].units) + noise[i]);
    // A group that no unit has is not present, however lucky its noise.
    if (groups[i].units > 0 && noisy >= threshold_) shown.push_back({groups[i].key, noisy});
  }
  std::ranges::sort(shown, {}, &NoisyGroup::key);
  return Released<std::vector<NoisyGroup>>{std::move(shown), {}};
}

}  // namespace tacit
