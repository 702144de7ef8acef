#include "tacit/mechanisms/quantile/quantile.h"

#include <algorithm>
#include <utility>

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

std::int64_t choose(std::span<const QuantileCell> cells, const QuantileRank& rank,
                    const WeightedChoice& choice, SecureStream& stream) {
  const std::vector<ScoreLevel> levels = quantile_levels(cells, rank);
  const ScoreLevel& level = levels[choice.choose(levels, stream)];
  std::uint64_t point = sample_uniform_below(stream, level.mass);
  auto cell = cells.begin();
  for (;; ++cell) {
    if (quantile_distance(*cell, rank) != level.distance) continue;
    if (point < cell->mass) break;
    point -= cell->mass;
  }
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(cell->begin) + point);
}

}  // namespace

Rational Quantile::low_share() { return Rational(1) / Rational(200); }

Quantile::Quantile(std::vector<Target> targets, Clamp clamp, Cost cost)
    : targets_(std::move(targets)), clamp_(clamp), cost_(std::move(cost)) {}

Result<Quantile> Quantile::create(std::vector<Rational> shares, Clamp clamp, Rational epsilon,
                                  Contribution contribution) {
  TACIT_RETURN_IF_ERROR(check(shares, contribution));
  std::vector<Target> targets;
  for (const Rational& share : shares) {
    const std::uint64_t below = share.mpq().get_num().get_ui();
    const std::uint64_t above = share.mpq().get_den().get_ui() - below;
    const SelectionPrivacy privacy{.epsilon = epsilon,
                                   .sensitivity = sensitivity(below, above, contribution)};
    TACIT_ASSIGN_OR_RETURN(Rational rate, score_rate(privacy));
    targets.push_back({below, above, std::make_shared<const WeightedChoice>(std::move(rate))});
  }
  TACIT_ASSIGN_OR_RETURN(
      Cost one, Cost::leaf(cost::Exponential{std::move(epsilon)}, contribution.neighbours));
  TACIT_ASSIGN_OR_RETURN(Cost cost,
                         shares.size() == 1 ? Result<Cost>(one) : Cost::repeat(shares.size(), one));
  return Quantile(std::move(targets), clamp, std::move(cost));
}

Result<Quantile> Quantile::minimum(Clamp clamp, Rational epsilon, Contribution contribution) {
  return create({low_share()}, clamp, std::move(epsilon), contribution);
}

Result<Quantile> Quantile::maximum(Clamp clamp, Rational epsilon, Contribution contribution) {
  return create({Rational(1) - low_share()}, clamp, std::move(epsilon), contribution);
}

template <class Value>
Result<Released<std::vector<double>>> Quantile::release_any(std::span<const Value> values,
                                                            Permit&& permit,
                                                            SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost_));
  std::vector<std::int64_t> sorted;
  sorted.reserve(values.size());
  for (const Value value : values) sorted.push_back(clamp_(value));
  std::ranges::sort(sorted);
  const auto cells = quantile_cells(sorted, clamp_.lower(), clamp_.upper());
  std::vector<double> quantiles;
  quantiles.reserve(targets_.size());
  for (const Target& target : targets_) {
    const std::int64_t steps =
        choose(cells, {target.below, target.above, sorted.size()}, *target.choice, stream);
    quantiles.push_back(clamp_.grid().to_real(steps));
  }
  return Released<std::vector<double>>{std::move(quantiles), {}};
}

Result<Released<std::vector<double>>> Quantile::release(std::span<const double> values,
                                                        Permit&& permit,
                                                        SecureStream& stream) const {
  return release_any(values, std::move(permit), stream);
}

Result<Released<std::vector<double>>> Quantile::release(std::span<const std::int64_t> values,
                                                        Permit&& permit,
                                                        SecureStream& stream) const {
  return release_any(values, std::move(permit), stream);
}

}  // namespace tacit
