#include "tacit/mechanisms/statistics/variance.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacit/mechanisms/statistics/moments_internal.h"

namespace tacit {
namespace {

using internal::Estimate;

// offset^2 / 2^shift to the nearest integer.
std::int64_t scaled_square(std::int64_t offset, int shift) {
  const int128 square = int128{offset} * int128{offset};
  if (shift == 0) return saturate(square);
  return saturate((square + (int128{1} << (shift - 1))) >> shift);
}

// The farthest that a value within the bounds lies from their middle, in steps.
std::int64_t half_range(const Clamp& clamp, std::int64_t centre) {
  return std::max(clamp.upper() - centre, centre - clamp.lower());
}

// The mean of squares less the square of the mean.
Estimate variance_of(const Estimate& offset, const Estimate& square) {
  const double least_mean = offset.low <= 0 && offset.high >= 0
                                ? 0
                                : std::min(std::abs(offset.low), std::abs(offset.high));
  const double most_mean = std::max(std::abs(offset.low), std::abs(offset.high));
  return {square.value - offset.value * offset.value, square.low - most_mean * most_mean,
          square.high - least_mean * least_mean};
}

}  // namespace

Variance::Variance(Clamp clamp, int square_shift, CentredSum offsets, CentredSum squares,
                   std::optional<Count> count, std::vector<Cost> parts, Cost cost)
    : clamp_(clamp),
      square_shift_(square_shift),
      offsets_(std::move(offsets)),
      squares_(std::move(squares)),
      count_(std::move(count)),
      parts_(std::move(parts)),
      cost_(std::move(cost)) {}

Result<Variance> Variance::create(const ColumnParameters& parameters) {
  const auto& [lower, upper, whole_numbers, contribution, target] = parameters;
  TACIT_RETURN_IF_ERROR(internal::check_bounds(lower, upper));
  const bool counts = !internal::count_is_public(contribution);
  TACIT_ASSIGN_OR_RETURN(const NoiseShare share, NoiseShare::create(target, counts ? 3 : 2));
  TACIT_ASSIGN_OR_RETURN(const Grid grid,
                         share.grid(internal::offset_sensitivity(upper - lower, contribution),
                                    internal::largest_magnitude(lower, upper), whole_numbers));
  TACIT_ASSIGN_OR_RETURN(const Clamp clamp, Clamp::create(lower, upper, grid));
  TACIT_ASSIGN_OR_RETURN(
      auto offsets, CentredSum::create(grid, {clamp.lower(), clamp.upper()}, contribution, share));

  const std::int64_t reach = half_range(clamp, offsets.centre);
  const Rational largest = Rational(reach) * Rational(reach) * grid.step() * grid.step();
  TACIT_ASSIGN_OR_RETURN(
      const Grid wanted,
      share.grid(internal::offset_sensitivity(largest, contribution), largest, false));
  // Never finer than the squares themselves are.
  const int shift = std::max(wanted.exponent() - 2 * grid.exponent(), 0);
  TACIT_ASSIGN_OR_RETURN(const Grid square_grid, Grid::create(2 * grid.exponent() + shift));
  TACIT_ASSIGN_OR_RETURN(
      auto squares,
      CentredSum::create(square_grid, {0, scaled_square(reach, shift)}, contribution, share));

  std::vector<Cost> parts{offsets.noise.cost(), squares.noise.cost()};
  std::optional<Count> count;
  if (counts) {
    TACIT_ASSIGN_OR_RETURN(count, Count::create(contribution, share));
    parts.push_back(count->cost());
  }
  TACIT_ASSIGN_OR_RETURN(Cost cost, internal::composed(parts));
  return Variance(clamp, shift, std::move(offsets), std::move(squares), std::move(count),
                  std::move(parts), std::move(cost));
}

std::int64_t Variance::square(std::int64_t offset) const {
  return scaled_square(offset, square_shift_);
}

template <class Value>
MomentTotals Variance::totals(std::span<const Value> values) const {
  MomentTotals totals{.rows = values.size()};
  for (const Value value : values) {
    const std::int64_t steps = offset(value);
    totals.offsets += steps;
    totals.squares += square(steps);
  }
  return totals;
}

Result<VarianceRelease> Variance::release(std::span<const double> values, Permit&& permit,
                                          SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(internal::check_permit(permit, cost_));
  return release_totals(totals(values), std::move(permit), stream);
}

Result<VarianceRelease> Variance::release(std::span<const std::int64_t> values, Permit&& permit,
                                          SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(internal::check_permit(permit, cost_));
  return release_totals(totals(values), std::move(permit), stream);
}

Result<VarianceRelease> Variance::release_totals(const MomentTotals& totals, Permit&& permit,
                                                 SecureStream& stream) const {
  TACIT_ASSIGN_OR_RETURN(auto permits, internal::divide(std::move(permit), cost_, parts_));
  VarianceRelease release;
  TACIT_ASSIGN_OR_RETURN(release.noisy_offsets,
                         offsets_.noise.release(totals.offsets, std::move(permits[0]), stream));
  const int128 centred_squares = totals.squares - int128{squares_.centre} * int128{totals.rows};
  TACIT_ASSIGN_OR_RETURN(release.noisy_squares,
                         squares_.noise.release(centred_squares, std::move(permits[1]), stream));
  TACIT_ASSIGN_OR_RETURN(release.count.value,
                         internal::counted(count_, totals.rows, permits, stream));
  return at_confidence(release, kDefaultConfidence);
}

Result<VarianceRelease> Variance::at_confidence(const VarianceRelease& release,
                                                double confidence) const {
  TACIT_RETURN_IF_ERROR(internal::check_confidence(confidence));
  const double each = internal::for_each_of(parts_.size(), confidence);
  TACIT_ASSIGN_OR_RETURN(const auto offsets,
                         internal::measured(offsets_, release.noisy_offsets, each));
  TACIT_ASSIGN_OR_RETURN(const auto squares,
                         internal::measured(squares_, release.noisy_squares, each));
  TACIT_ASSIGN_OR_RETURN(const double count_moved, internal::count_half_width(count_, each));
  TACIT_ASSIGN_OR_RETURN(const double count_half_width,
                         internal::count_half_width(count_, confidence));
  const internal::NoisyNumber count{static_cast<double>(release.count.value), count_moved};

  const Grid grid = clamp_.grid();
  const double reach = grid.to_real(half_range(clamp_, offsets_.centre));
  const Estimate offset = internal::quotient(offsets, count).within(-reach, reach);
  const Estimate square = internal::quotient(squares, count)
                              .shifted(squares_.grid.to_real(squares_.centre))
                              .within(0, reach * reach);
  const Estimate variance = variance_of(offset, square).within(0, reach * reach);
  const Estimate deviation{std::sqrt(variance.value), std::sqrt(variance.low),
                           std::sqrt(variance.high)};
  const Estimate mean = offset.shifted(grid.to_real(offsets_.centre))
                            .within(grid.to_real(clamp_.lower()), grid.to_real(clamp_.upper()));
  constexpr IntervalKind kKind = IntervalKind::kApproximate;
  return VarianceRelease{
      .variance = variance.released(confidence, kKind),
      .standard_deviation = deviation.released(confidence, kKind),
      .mean = mean.released(confidence, kKind),
      .count = {release.count.value, {count_half_width, confidence, IntervalKind::kExact}},
      .noisy_offsets = release.noisy_offsets,
      .noisy_squares = release.noisy_squares};
}

}  // namespace tacit
