#include "tacit/mechanisms/noisy_max/noisy_max.h"

#include <utility>
#include <vector>

namespace tacit {

NoisyMax::NoisyMax(Sampler sampler, Cost cost)
    : sampler_(std::move(sampler)), cost_(std::move(cost)) {}

Result<NoisyMax> NoisyMax::create(Noise noise, SelectionPrivacy privacy) {
  TACIT_ASSIGN_OR_RETURN(const Rational rate, score_rate(privacy));
  TACIT_ASSIGN_OR_RETURN(Cost cost,
                         Cost::leaf(cost::Pure{std::move(privacy.epsilon)}, privacy.neighbours));
  const Rational scale = Rational(1) / rate;
  if (noise == Noise::kGeometric) {
    TACIT_ASSIGN_OR_RETURN(Geometric sampler, Geometric::create(scale));
    return NoisyMax(std::move(sampler), std::move(cost));
  }
  TACIT_ASSIGN_OR_RETURN(DiscreteLaplace sampler, DiscreteLaplace::create(scale));
  return NoisyMax(std::move(sampler), std::move(cost));
}

NoisyMax::WithGap NoisyMax::select(std::span<const std::int64_t> scores,
                                   SecureStream& stream) const {
  std::vector<std::int64_t> noise(scores.size());
  std::visit([&](const auto& sampler) { sampler.fill(stream, noise); }, sampler_);
  const auto noisy = [&](std::size_t i) { return int128{scores[i]} + noise[i]; };

  std::size_t first = 0;
  std::size_t second = 0;
  for (std::size_t i = 1; i < scores.size(); ++i) {
    // Strictly: of equal noisy scores the lowest index stays ahead.
    if (noisy(i) > noisy(first)) {
      second = std::exchange(first, i);
    } else if (second == first || noisy(i) > noisy(second)) {
      second = i;
    }
  }
  if (second == first) return {first, 0};
  // A rival of lower index wins a tie, so to stay ahead of it takes one step more.
  return {first, noisy(first) - noisy(second) - (second < first ? 1 : 0)};
}

Result<Released<std::size_t>> NoisyMax::release(std::span<const std::int64_t> scores,
                                                Permit&& permit, SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(require_candidates(scores.size()));
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost_));
  return Released<std::size_t>{select(scores, stream).winner, {}};
}

Result<Released<NoisyMax::WithGap>> NoisyMax::release_with_gap(std::span<const std::int64_t> scores,
                                                               Permit&& permit,
                                                               SecureStream& stream) const {
  if (!std::holds_alternative<DiscreteLaplace>(sampler_)) {
    return bad_input("the gap of one-sided noise is not private", "noise",
                     "use discrete Laplace noise, or release the winner alone");
  }
  TACIT_RETURN_IF_ERROR(require_candidates(scores.size()));
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost_));
  return Released<WithGap>{select(scores, stream), {}};
}

}  // namespace tacit
