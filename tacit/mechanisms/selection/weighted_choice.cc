#include <algorithm>
#include <bit>
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

Weights weigh(ScoreLevels& levels, std::span<const RealBracket> powers, std::size_t precision) {
  Weights weights;
  RealBracket weight = RealBracket::of(1, precision);
  std::uint64_t unweighed = levels.mass();
  std::uint64_t distance = levels.at(0)->distance;
  for (std::size_t j = 0; const ScoreLevel* level = levels.at(j); ++j) {
    weight = times_power(std::move(weight), level->distance - distance, powers);
    if (weight.lower() == 0) break;
    distance = level->distance;
    unweighed -= level->mass;
    const mpz_class mass(level->mass);
    const auto& [lower, upper] =
        weights.levels.emplace_back(weight.lower() * mass, weight.upper() * mass);
    weights.lower_sum += lower;
    weights.upper_sum += upper;
  }
  // Weights fall with the distance, so the last upper end holds for all that were not weighed.
  weights.upper_sum += weight.upper() * mpz_class(unweighed);
  return weights;
}

class ListedLevels final : public ScoreLevels {
 public:
  explicit ListedLevels(std::span<const ScoreLevel> levels) : levels_(levels) {
    for (const ScoreLevel& level : levels) mass_ += level.mass;
  }

  const ScoreLevel* at(std::size_t level) override {
    return level < levels_.size() ? &levels_[level] : nullptr;
  }
  [[nodiscard]] std::uint64_t mass() const override { return mass_; }

 private:
  std::span<const ScoreLevel> levels_;
  std::uint64_t mass_ = 0;
};

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
  ListedLevels listed(levels);
  return choose(listed, stream);
}

std::size_t WeightedChoice::choose(ScoreLevels& levels, SecureStream& stream) const {
  if (levels.at(1) == nullptr) return 0;
  LazyUniform uniform;
  for (std::size_t precision = first_precision_;; precision *= 2) {
    uniform.reveal_to(precision, stream);
    const Weights weights = precision == first_precision_
                                ? weigh(levels, first_powers_, precision)
                                : weigh(levels, powers(precision), precision);
    if (const auto level = locate(weights, uniform)) return *level;
  }
}

std::vector<ScoreLevel> score_levels(std::span<const std::int64_t> sorted) {
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
