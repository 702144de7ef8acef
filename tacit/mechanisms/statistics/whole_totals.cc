#include "tacit/mechanisms/statistics/whole_totals.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacit/mechanisms/additive_internal.h"

namespace tacit {
namespace {

// The norm that the noise is scaled to, rounded up; it chooses the grid.
Result<Rational> real_norm(const Sensitivity& whole, bool l1) {
  if (l1 || whole.one_coordinate) return internal::from_word(whole.l1);
  return Rational::exactly(std::sqrt(static_cast<double>(whole.squared_l2)) * (1 + 1e-12));
}

// The sensitivity of whole numbers, on a grid with `steps` steps to one.
Result<Sensitivity> on_grid_of(const Sensitivity& whole, std::uint64_t steps) {
  Sensitivity scaled = whole;
  if (__builtin_mul_overflow(whole.l1, steps, &scaled.l1) ||
      __builtin_mul_overflow(whole.squared_l2, steps * steps, &scaled.squared_l2)) {
    return bad_input("one unit can move the totals too far", "sensitivity",
                     "let each unit have fewer rows");
  }
  return scaled;
}

// Answer and truth are rounded to whole numbers alike, so the noise they differ by is the
// half-width rounded.
double whole_half_width(Grid grid, std::int64_t steps) {
  return static_cast<double>(grid.to_whole(steps));
}

}  // namespace

WholeTotals::WholeTotals(Grid grid, AdditiveNoise noise, Interval interval)
    : grid_(grid), noise_(std::move(noise)), interval_(interval) {}

Result<WholeTotals> WholeTotals::create(const Sensitivity& sensitivity, const NoiseShare& share) {
  TACIT_RETURN_IF_ERROR(internal::check_moves(sensitivity.l1));
  TACIT_ASSIGN_OR_RETURN(const Rational norm, real_norm(sensitivity, share.uses_l1()));
  TACIT_ASSIGN_OR_RETURN(const Grid chosen, share.grid(norm, Rational(1), true));
  const Grid grid = std::min(chosen, Grid());
  TACIT_ASSIGN_OR_RETURN(const Sensitivity in_steps,
                         on_grid_of(sensitivity, grid.nearest(Rational(1)).get_ui()));
  TACIT_ASSIGN_OR_RETURN(AdditiveNoise noise, share.noise(in_steps));
  TACIT_ASSIGN_OR_RETURN(const std::int64_t steps, noise.half_width(kDefaultConfidence));
  return WholeTotals(grid, std::move(noise),
                     {whole_half_width(grid, steps), kDefaultConfidence, IntervalKind::kExact});
}

Result<WholeTotals> WholeTotals::create(const Sensitivity& sensitivity, const NoiseTarget& target) {
  TACIT_ASSIGN_OR_RETURN(const NoiseShare share, NoiseShare::create(target));
  return create(sensitivity, share);
}

Result<WholeTotals> WholeTotals::group_counts(const GroupContribution& contribution,
                                              const NoiseTarget& target) {
  TACIT_ASSIGN_OR_RETURN(const Sensitivity sensitivity,
                         group_sums_sensitivity({1, 1}, contribution));
  return create(sensitivity, target);
}

Result<double> WholeTotals::half_width(double confidence) const {
  TACIT_ASSIGN_OR_RETURN(const std::int64_t steps, noise_.half_width(confidence));
  return whole_half_width(grid_, steps);
}

template <class Integer>
Result<Released<std::vector<std::int64_t>>> WholeTotals::release_any(
    std::span<const Integer> totals, Permit&& permit, SecureStream& stream) const {
  // Beyond what a word holds by so much that the answer is the same; one-Lipschitz.
  constexpr int128 kMost = int128{1} << 90;
  const int128 steps_to_one = int128{1} << -grid_.exponent();
  std::vector<int128> steps(totals.size());
  std::ranges::transform(totals, steps.begin(), [&](Integer total) {
    return std::clamp<int128>(total, -kMost, kMost) * steps_to_one;
  });
  TACIT_ASSIGN_OR_RETURN(const auto noisy, noise_.release(steps, std::move(permit), stream));
  Released<std::vector<std::int64_t>> whole{std::vector<std::int64_t>(totals.size()), interval_};
  std::ranges::transform(noisy.value, whole.value.begin(),
                         [&](int128 value) { return grid_.to_whole(value); });
  return whole;
}

Result<Released<std::vector<std::int64_t>>> WholeTotals::release(std::span<const int128> totals,
                                                                 Permit&& permit,
                                                                 SecureStream& stream) const {
  return release_any(totals, std::move(permit), stream);
}

Result<Released<std::vector<std::int64_t>>> WholeTotals::release(
    std::span<const std::int64_t> totals, Permit&& permit, SecureStream& stream) const {
  return release_any(totals, std::move(permit), stream);
}

Result<Released<std::vector<std::int64_t>>> WholeTotals::release(
    std::span<const std::uint64_t> totals, Permit&& permit, SecureStream& stream) const {
  return release_any(totals, std::move(permit), stream);
}

}  // namespace tacit
