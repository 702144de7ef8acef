#include "tacit/mechanisms/statistics/mean.h"

#include <utility>

#include "tacit/mechanisms/statistics/mean_internal.h"

namespace tacit {

Mean::Mean(Clamp clamp, CentredSum sum, std::optional<Count> count, std::vector<Cost> parts,
           Cost cost)
    : clamp_(clamp),
      sum_(std::move(sum)),
      count_(std::move(count)),
      parts_(std::move(parts)),
      cost_(std::move(cost)) {}

Result<Mean> Mean::create(const ColumnParameters& parameters) {
  const auto& [lower, upper, whole_numbers, contribution, target] = parameters;
  TACIT_RETURN_IF_ERROR(internal::check_bounds(lower, upper));
  const bool counts = !internal::count_is_public(contribution);
  TACIT_ASSIGN_OR_RETURN(const NoiseShare share, NoiseShare::create(target, counts ? 2 : 1));
  TACIT_ASSIGN_OR_RETURN(const Grid grid,
                         share.grid(internal::offset_sensitivity(upper - lower, contribution),
                                    internal::largest_magnitude(lower, upper), whole_numbers));
  TACIT_ASSIGN_OR_RETURN(const Clamp clamp, Clamp::create(lower, upper, grid));
  TACIT_ASSIGN_OR_RETURN(
      auto sum, CentredSum::create(grid, {clamp.lower(), clamp.upper()}, contribution, share));
  std::vector<Cost> parts{sum.noise.cost()};
  std::optional<Count> count;
  if (counts) {
    TACIT_ASSIGN_OR_RETURN(count, Count::create(contribution, share));
    parts.push_back(count->cost());
  }
  TACIT_ASSIGN_OR_RETURN(Cost cost, internal::composed(parts));
  return Mean(clamp, std::move(sum), std::move(count), std::move(parts), std::move(cost));
}

Result<MeanRelease> Mean::release(std::span<const double> values, Permit&& permit,
                                  SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(internal::check_permit(permit, cost_));
  return release_totals(clamp_.sum(values), values.size(), std::move(permit), stream);
}

Result<MeanRelease> Mean::release(std::span<const std::int64_t> values, Permit&& permit,
                                  SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(internal::check_permit(permit, cost_));
  return release_totals(clamp_.sum(values), values.size(), std::move(permit), stream);
}

Result<MeanRelease> Mean::release_totals(int128 total, std::uint64_t rows, Permit&& permit,
                                         SecureStream& stream) const {
  TACIT_ASSIGN_OR_RETURN(auto permits, internal::divide(std::move(permit), cost_, parts_));
  const int128 offsets = total - int128{sum_.centre} * int128{rows};
  MeanRelease release;
  TACIT_ASSIGN_OR_RETURN(release.noisy_offsets,
                         sum_.noise.release(offsets, std::move(permits[0]), stream));
  TACIT_ASSIGN_OR_RETURN(release.count.value, internal::counted(count_, rows, permits, stream));
  return at_confidence(release, kDefaultConfidence);
}

Result<MeanRelease> Mean::at_confidence(const MeanRelease& release, double confidence) const {
  const Count* count = count_ ? &*count_ : nullptr;
  TACIT_ASSIGN_OR_RETURN(const auto widths, internal::mean_widths(sum_, count, confidence));
  return internal::mean_of(release.noisy_offsets, release.count.value, sum_, clamp_, widths,
                           count_ ? IntervalKind::kApproximate : IntervalKind::kExact);
}

}  // namespace tacit
