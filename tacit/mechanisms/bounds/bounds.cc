#include "tacit/mechanisms/bounds/bounds.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>
#include <vector>

#include "tacit/mechanisms/partition/thresholds.h"

namespace tacit {
namespace {

// Bin d holds the positive values of d binary digits, bin -d the negative ones.
int bin_of(std::int64_t steps) {
  const auto magnitude = static_cast<std::uint64_t>(steps < 0 ? -steps : steps);
  const auto digits = static_cast<int>(std::bit_width(magnitude));
  return steps < 0 ? -digits : digits;
}

std::int64_t bins_of(int digits) { return 2 * std::int64_t{digits} + 1; }

// A number of d digits lies between 2^(d-1) and 2^d.
struct Edges {
  double inner;
  double outer;
};
Edges edges(int bin, const Grid& grid) {
  if (bin == 0) return {0, 0};
  const std::int64_t steps = std::int64_t{1} << (std::abs(bin) - 1);
  const double inner = grid.to_real(bin < 0 ? -steps : steps);
  return {inner, 2 * inner};
}

// One row under add/remove moves one bin by one. Otherwise several bins may move, and what is
// known is the L1 norm.
Result<Cost> cost_of(const Sensitivity& sensitivity, const Rational& scale,
                     const Rational& epsilon) {
  if (sensitivity.one_coordinate) {
    return Cost::leaf(cost::DiscreteLaplace{scale, sensitivity.l1}, sensitivity.neighbours);
  }
  return Cost::leaf(cost::Pure{epsilon}, sensitivity.neighbours);
}

}  // namespace

PrivateBounds::PrivateBounds(Clamp clamp, int digits, DiscreteLaplace noise, std::int64_t threshold,
                             Cost cost)
    : clamp_(clamp),
      digits_(digits),
      noise_(std::move(noise)),
      threshold_(threshold),
      cost_(std::move(cost)) {}

Rational PrivateBounds::default_false_bin() { return Rational(1) / Rational(1'000'000'000); }

Result<PrivateBounds> PrivateBounds::create(Grid grid, const Rational& epsilon,
                                            Contribution contribution, const Rational& false_bin,
                                            int digits) {
  if (epsilon.sign() <= 0) {
    return bad_input("must be above 0", "epsilon", "give a number such as 0.1");
  }
  if (false_bin.sign() <= 0 || false_bin >= 1) {
    return bad_input("must lie strictly between 0 and 1", "false bin probability",
                     "give a small number such as 1e-9");
  }
  if (digits < 1 || digits > kMostDigits) {
    return bad_input("must be between 1 and 63", "binary digits");
  }
  const std::int64_t bins = bins_of(digits);
  const Rational limit = grid.step() * Rational(Clamp::kLargestSteps);
  TACIT_ASSIGN_OR_RETURN(const Clamp clamp, Clamp::create(-limit, limit, grid));
  TACIT_ASSIGN_OR_RETURN(const Sensitivity sensitivity,
                         histogram_sensitivity(static_cast<std::uint64_t>(bins), contribution));
  const Rational scale = Rational(mpq_class(sensitivity.l1)) / epsilon;
  TACIT_ASSIGN_OR_RETURN(DiscreteLaplace noise, DiscreteLaplace::create(scale));
  TACIT_ASSIGN_OR_RETURN(const std::int64_t threshold,
                         discrete_laplace_tail_point(scale, false_bin / Rational(bins)));
  TACIT_ASSIGN_OR_RETURN(Cost cost, cost_of(sensitivity, scale, epsilon));
  return PrivateBounds(clamp, digits, std::move(noise), threshold, std::move(cost));
}

Result<Released<std::optional<PrivateBounds::Bounds>>> PrivateBounds::release(
    std::span<const double> values, Permit&& permit, SecureStream& stream) const {
  std::vector<BinCount> counts;
  counts.reserve(values.size());
  for (const double value : values) counts.push_back({bin_of(clamp_(value)), 1});
  return release_counts(counts, std::move(permit), stream);
}

Result<Released<std::optional<PrivateBounds::Bounds>>> PrivateBounds::release_counts(
    std::span<const BinCount> counts, Permit&& permit, SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost_));
  const auto bins = static_cast<std::size_t>(bins_of(digits_));
  std::vector<int128> noisy(bins, 0);
  const auto index = [&](int bin) {
    return static_cast<std::size_t>(std::clamp(bin, -digits_, digits_) + digits_);
  };
  for (const BinCount& count : counts) noisy[index(count.bin)] += count.values;
  std::vector<std::int64_t> noise(bins);
  noise_.fill(stream, noise);

  std::optional<Bounds> bounds;
  for (int bin = -digits_; bin <= digits_; ++bin) {
    if (noisy[index(bin)] + noise[index(bin)] < threshold_) continue;
    const auto [inner, outer] = edges(bin, clamp_.grid());
    const bool negative = bin < 0;
    if (!bounds) bounds = Bounds{.lower = negative ? outer : inner};
    bounds->upper = negative ? inner : outer;
  }
  return Released<std::optional<Bounds>>{bounds, {}};
}

}  // namespace tacit
