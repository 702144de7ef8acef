#include "tacit/mechanisms/statistics/histogram.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacit/mechanisms/additive_internal.h"

namespace tacit {
namespace {

// The norm of the sensitivity that the noise is scaled to, rounded up; it chooses the grid.
Result<Rational> real_norm(const Sensitivity& whole, bool l1) {
  if (l1) return internal::from_word(whole.l1);
  return Rational::exactly(std::sqrt(static_cast<double>(whole.squared_l2)) * (1 + 1e-12));
}

// The sensitivity of counts in whole numbers, on a grid with `steps` steps to one.
Result<Sensitivity> on_grid_of(const Sensitivity& whole, std::uint64_t steps) {
  Sensitivity scaled = whole;
  if (__builtin_mul_overflow(whole.l1, steps, &scaled.l1) ||
      __builtin_mul_overflow(whole.squared_l2, steps * steps, &scaled.squared_l2)) {
    return bad_input("one unit can move the histogram too far", "histogram",
                     "let each unit have fewer rows");
  }
  return scaled;
}

}  // namespace

Histogram::Histogram(Grid grid, AdditiveNoise noise, Interval interval)
    : grid_(grid), noise_(std::move(noise)), interval_(interval) {}

Result<Histogram> Histogram::create(std::uint64_t bins, const Contribution& contribution,
                                    const NoiseTarget& target) {
  TACIT_ASSIGN_OR_RETURN(const NoiseShare share, NoiseShare::create(target));
  TACIT_ASSIGN_OR_RETURN(const Sensitivity whole, histogram_sensitivity(bins, contribution));
  TACIT_ASSIGN_OR_RETURN(const Rational norm, real_norm(whole, share.uses_l1()));
  TACIT_ASSIGN_OR_RETURN(const Grid chosen, share.grid(norm, Rational(1), true));
  const Grid grid = std::min(chosen, Grid());  // one row is a whole number of steps
  const mpz_class steps = grid.nearest(Rational(1));
  TACIT_ASSIGN_OR_RETURN(const Sensitivity sensitivity, on_grid_of(whole, steps.get_ui()));
  TACIT_ASSIGN_OR_RETURN(AdditiveNoise noise, share.noise(sensitivity));
  TACIT_ASSIGN_OR_RETURN(const std::int64_t half_width, noise.half_width(kDefaultConfidence));
  const Interval interval{static_cast<double>(grid.to_whole(half_width)), kDefaultConfidence,
                          IntervalKind::kExact};
  return Histogram(grid, std::move(noise), interval);
}

Result<double> Histogram::half_width(double confidence) const {
  TACIT_ASSIGN_OR_RETURN(const std::int64_t steps, noise_.half_width(confidence));
  return static_cast<double>(grid_.to_whole(steps));
}

Result<Released<std::vector<std::int64_t>>> Histogram::release(
    std::span<const std::uint64_t> counts, Permit&& permit, SecureStream& stream) const {
  const int128 steps_to_one = grid_.nearest(Rational(1)).get_si();
  std::vector<int128> totals(counts.size());
  std::transform(counts.begin(), counts.end(), totals.begin(),
                 [&](std::uint64_t count) { return int128{count} * steps_to_one; });
  TACIT_ASSIGN_OR_RETURN(const auto noisy, noise_.release(totals, std::move(permit), stream));
  Released<std::vector<std::int64_t>> bins{std::vector<std::int64_t>(counts.size()), interval_};
  std::transform(noisy.value.begin(), noisy.value.end(), bins.value.begin(),
                 [&](int128 steps) { return grid_.to_whole(steps); });
  return bins;
}

Result<BinEdges> BinEdges::create(std::vector<double> edges) {
  const auto not_below = [](double a, double b) { return !(a < b); };
  if (edges.size() < 2 || std::isnan(edges.front()) ||
      std::adjacent_find(edges.begin(), edges.end(), not_below) != edges.end()) {
    return bad_input("bins need two edges or more, each above the one before", "bins",
                     "give edges such as 0, 10, 20");
  }
  return BinEdges(std::move(edges));
}

std::vector<std::uint64_t> BinEdges::count(std::span<const double> values) const {
  std::vector<std::uint64_t> counts(bins(), 0);
  for (const double value : values) {
    if (!(value >= edges_.front() && value <= edges_.back())) continue;
    const auto above = std::upper_bound(edges_.begin(), edges_.end() - 1, value);
    ++counts[static_cast<std::size_t>(above - edges_.begin()) - 1];
  }
  return counts;
}

}  // namespace tacit
