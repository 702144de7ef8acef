#include "tacit/mechanisms/quantile/quantile.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacit/mechanisms/additive_internal.h"
#include "tacit/mechanisms/quantile/quantile_cells_internal.h"
#include "tacit/mechanisms/selection/selection.h"
#include "tacit/mechanisms/selection/weighted_choice_internal.h"
#include "tacit/random/samplers.h"

namespace tacit {
namespace {

constexpr std::int64_t kLargestDenominator = 1'000'000;
constexpr std::size_t kMostShares = 1'000'000;
constexpr std::uint64_t kMostRows = std::uint64_t{1} << 40;

Result<void> check(std::span<const Rational> shares, const Contribution& contribution) {
  if (shares.empty() || shares.size() > kMostShares) {
    return bad_input("must be between 1 and 10^6 quantiles", "shares");
  }
  for (const Rational& share : shares) {
    if (share.sign() <= 0 || share >= 1) {
      return bad_input("must lie strictly between 0 and 1, not " + share.to_string(), "shares",
                       "one row decides a minimum or maximum; ask for a quantile such as 0.01");
    }
    if (share.mpq().get_den() > kLargestDenominator) {
      return bad_input("has more digits than a quantile can mean: " + share.to_string(), "shares",
                       "give a fraction whose denominator is at most 10^6");
    }
  }
  if (contribution.rows == 0 || contribution.rows > kMostRows) {
    return bad_input("must be between 1 and 2^40", "rows of a unit");
  }
  return {};
}

// In units of 1 / (below + above), by which neighbours may differ in the distance of a point
// (proof.md, theorem 1).
std::uint64_t sensitivity(std::uint64_t below, std::uint64_t above,
                          const Contribution& contribution) {
  const bool replace = contribution.neighbours == Neighbours::kReplace;
  return contribution.rows * (replace ? below + above : std::max(below, above));
}

// The least number of values on one end of the range that keeps the draw on its side of the
// quantile but with probability (1 - confidence) / 2 (proof.md, theorem 4), rounded up. `rate` is
// that of one value of distance.
std::uint64_t padding_for(double confidence, const Clamp& clamp, const Rational& rate) {
  const double others = static_cast<double>(clamp.upper()) - static_cast<double>(clamp.lower());
  constexpr double kMargin = 1 + 1e-9;
  return static_cast<std::uint64_t>(
      std::ceil(std::log(2 * std::max(others, 1.0) / (1 - confidence)) / rate.lower() * kMargin));
}

std::int64_t choose(const QuantileCells& cells, const QuantileRank& rank,
                    const WeightedChoice& choice, SecureStream& stream) {
  QuantileLevels levels(cells, rank);
  const std::size_t level = choice.choose(levels, stream);
  return levels.point(level, sample_uniform_below(stream, levels.at(level)->mass));
}

Result<Cost> cost_of(std::size_t draws, const Rational& epsilon, Neighbours neighbours) {
  TACIT_ASSIGN_OR_RETURN(Cost one, Cost::leaf(cost::Exponential{epsilon}, neighbours));
  if (draws == 1) return one;
  return Cost::repeat(draws, std::move(one));
}

}  // namespace

Rational Quantile::low_share() { return Rational(1) / Rational(200); }

Quantile::Quantile(std::vector<Target> targets, Clamp clamp, std::optional<double> confidence,
                   Cost cost)
    : targets_(std::move(targets)),
      clamp_(clamp),
      confidence_(confidence),
      cost_(std::move(cost)) {}

Result<Quantile> Quantile::create(const std::vector<Rational>& shares, Clamp clamp,
                                  const Rational& epsilon, const QuantileOptions& options) {
  const auto& [contribution, confidence] = options;
  TACIT_RETURN_IF_ERROR(check(shares, contribution));
  if (confidence) TACIT_RETURN_IF_ERROR(internal::check_confidence(*confidence));
  const std::size_t draws = confidence ? 3 : 1;
  const Rational one_draw = epsilon / Rational(static_cast<std::int64_t>(draws));
  std::vector<Target> targets;
  for (const Rational& share : shares) {
    const std::uint64_t below = share.mpq().get_num().get_ui();
    const std::uint64_t above = share.mpq().get_den().get_ui() - below;
    const SelectionPrivacy privacy{.epsilon = one_draw,
                                   .sensitivity = sensitivity(below, above, contribution)};
    TACIT_ASSIGN_OR_RETURN(const Rational rate, score_rate(privacy));
    const Rational rate_of_value = rate * internal::from_word(below + above);
    targets.push_back({below, above, std::make_shared<const WeightedChoice>(rate),
                       confidence ? padding_for(*confidence, clamp, rate_of_value) : 0});
  }
  TACIT_ASSIGN_OR_RETURN(Cost cost,
                         cost_of(draws * shares.size(), one_draw, contribution.neighbours));
  return Quantile(std::move(targets), clamp, confidence, std::move(cost));
}

Result<Quantile> Quantile::minimum(Clamp clamp, const Rational& epsilon,
                                   const QuantileOptions& options) {
  return create({low_share()}, clamp, epsilon, options);
}

Result<Quantile> Quantile::maximum(Clamp clamp, const Rational& epsilon,
                                   const QuantileOptions& options) {
  return create({Rational(1) - low_share()}, clamp, epsilon, options);
}

Released<double> Quantile::draw(const Target& target, const QuantileCells& cells,
                                SecureStream& stream) const {
  const auto& [below, above, choice, padding] = target;
  const Grid grid = clamp_.grid();
  const std::int64_t value = choose(cells, {below, above, 0, 0}, *choice, stream);
  if (!confidence_) return {grid.to_real(value), {}};
  const std::int64_t low = choose(cells, {below, above, padding, 0}, *choice, stream);
  const std::int64_t high = choose(cells, {below, above, 0, padding}, *choice, stream);
  // Below 0 only where the ends cross, which the confidence allows for.
  const int128 farther = std::max({int128{0}, int128{value} - low, int128{high} - value});
  const double half_width = grid.to_real_above(saturate(farther));
  return {grid.to_real(value), {half_width, *confidence_, IntervalKind::kApproximate}};
}

std::vector<Released<double>> Quantile::draw(const QuantileCells& cells,
                                             SecureStream& stream) const {
  std::vector<Released<double>> answers;
  answers.reserve(targets_.size());
  for (const Target& target : targets_) answers.push_back(draw(target, cells, stream));
  return answers;
}

template <class Value>
Result<std::vector<Released<double>>> Quantile::release_values(std::span<const Value> values,
                                                               Permit&& permit,
                                                               SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost_));
  std::vector<std::int64_t> steps(values.size());
  std::ranges::transform(values, steps.begin(), [&](Value value) { return clamp_(value); });
  return draw(QuantileCells(std::move(steps), clamp_.lower(), clamp_.upper()), stream);
}

Result<std::vector<Released<double>>> Quantile::release(std::span<const double> values,
                                                        Permit&& permit,
                                                        SecureStream& stream) const {
  return release_values(values, std::move(permit), stream);
}

Result<std::vector<Released<double>>> Quantile::release(std::span<const std::int64_t> values,
                                                        Permit&& permit,
                                                        SecureStream& stream) const {
  return release_values(values, std::move(permit), stream);
}

Result<std::vector<Released<double>>> Quantile::release_counts(std::span<const GridCount> counts,
                                                               Permit&& permit,
                                                               SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost_));
  return draw_counts(counts, stream);
}

std::vector<Released<double>> Quantile::draw_counts(std::span<const GridCount> counts,
                                                    SecureStream& stream) const {
  std::vector<GridCount> within(counts.begin(), counts.end());
  for (GridCount& count : within) {
    count.steps = std::clamp(count.steps, clamp_.lower(), clamp_.upper());
  }
  return draw(QuantileCells(std::move(within), clamp_.lower(), clamp_.upper()), stream);
}

}  // namespace tacit
