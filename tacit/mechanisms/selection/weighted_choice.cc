#include <algorithm>
#include <bit>
#include <functional>
#include <optional>
#include <utility>

#include "tacit/mechanisms/selection/lazy_uniform_internal.h"
#include "tacit/mechanisms/selection/weighted_choice_internal.h"

namespace tacit {
namespace {

// Brackets of mass · weight for the levels whose weight can be told from 0 at this precision, and
// of the sum over all levels.
struct Weights {
  std::vector<std::pair<mpz_class, mpz_class>> levels;
  mpz_class lower_sum;
  mpz_class upper_sum;
};

// weight · exp(-rate · steps), by the binary digits of `steps`. Beyond the last power the lower
// end is 0 and the upper end that of a smaller number of steps.
RealBracket times_power(RealBracket weight, std::uint64_t steps,
                        std::span<const RealBracket> powers) {
  if (static_cast<std::size_t>(std::bit_width(steps)) > powers.size()) {
    return weight * powers.back();
  }
  for (std::size_t i = 0; i < powers.size(); ++i) {
    if ((steps >> i & 1U) != 0) weight = weight * powers[i];
  }
  return weight;
}

Weights weigh(std::span<const ScoreLevel> levels, std::span<const RealBracket> powers,
              std::size_t precision) {
  Weights weights;
  RealBracket weight = RealBracket::of(1, precision);
  std::uint64_t distance = levels.front().distance;
  std::size_t j = 0;
  for (; j < levels.size(); ++j) {
    weight = times_power(std::move(weight), levels[j].distance - distance, powers);
    if (weight.lower() == 0) break;
    distance = levels[j].distance;
    const mpz_class mass(levels[j].mass);
    const auto& level = weights.levels.emplace_back(weight.lower() * mass, weight.upper() * mass);
    weights.lower_sum += level.first;
    weights.upper_sum += level.second;
  }
  // Weights fall with the distance, so the last upper end holds for all that were not weighed.
  std::uint64_t unweighed = 0;
  for (; j < levels.size(); ++j) unweighed += levels[j].mass;
  weights.upper_sum += weight.upper() * mpz_class(unweighed);
  return weights;
}

// The level in which the point `uniform` · (sum of weights) lies, where the brackets tell.
std::optional<std::size_t> locate(const Weights& weights, const LazyUniform& uniform) {
  const mpz_class point_lower = uniform.digits() * weights.lower_sum;
  const mpz_class point_upper = (uniform.digits() + 1) * weights.upper_sum;
  mpz_class begin_upper;
  mpz_class end_lower;
  for (std::size_t j = 0; j < weights.levels.size(); ++j) {
    const auto& [lower, upper] = weights.levels[j];
    end_lower += lower << uniform.known();
    if (point_upper <= end_lower) {
      return begin_upper <= point_lower ? std::optional(j) : std::nullopt;
    }
    begin_upper += upper << uniform.known();
  }
  return std::nullopt;
}

}  // namespace

WeightedChoice::WeightedChoice(Rational rate, std::size_t first_precision)
    : rate_(std::move(rate)),
      first_precision_(first_precision),
      first_powers_(powers(first_precision)) {}

WeightedChoice::Powers WeightedChoice::powers(std::size_t precision) const {
  Powers powers;
  for (std::int64_t i = 0; i < 64; ++i) {
    powers.push_back(RealBracket::exp_minus(rate_ * Rational::power_of_two(i), precision));
    if (powers.back().lower() == 0) break;
  }
  return powers;
}

std::size_t WeightedChoice::choose(std::span<const ScoreLevel> levels, SecureStream& stream) const {
  if (levels.size() == 1) return 0;
  LazyUniform uniform;
  for (std::size_t precision = first_precision_;; precision *= 2) {
    uniform.reveal_to(precision, stream);
    const Weights weights = precision == first_precision_
                                ? weigh(levels, first_powers_, precision)
                                : weigh(levels, powers(precision), precision);
    if (const auto level = locate(weights, uniform)) return *level;
  }
}

std::vector<ScoreLevel> score_levels(std::span<const std::int64_t> scores) {
  std::vector<std::int64_t> sorted(scores.begin(), scores.end());
  std::ranges::sort(sorted, std::greater{});
  const auto best = static_cast<std::uint64_t>(sorted.front());
  std::vector<ScoreLevel> levels;
  for (const std::int64_t score : sorted) {
    // Modulo 2^64 the difference of two int64 is exact where it is not negative.
    const std::uint64_t distance = best - static_cast<std::uint64_t>(score);
    if (levels.empty() || levels.back().distance != distance) levels.push_back({distance, 0});
    ++levels.back().mass;
  }
  return levels;
}

}  // namespace tacit
