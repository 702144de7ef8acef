#include "tacit/mechanisms/statistics/group_sums.h"

#include <algorithm>
#include <utility>

#include "tacit/mechanisms/statistics/column_internal.h"
#include "tacit/mechanisms/statistics/group_sums_internal.h"

namespace tacit {

GroupSums::GroupSums(Clamp clamp, AdditiveNoise noise, Interval interval)
    : clamp_(clamp), noise_(std::move(noise)), interval_(interval) {}

Result<GroupSums> GroupSums::create(const GroupSumsParameters& parameters) {
  const auto& [lower, upper, whole_numbers, contribution, target] = parameters;
  TACIT_RETURN_IF_ERROR(internal::check_bounds(lower, upper));
  TACIT_ASSIGN_OR_RETURN(const NoiseShare share, NoiseShare::create(target));
  const Rational reach = internal::largest_magnitude(lower, upper);
  TACIT_ASSIGN_OR_RETURN(const Rational norm,
                         internal::group_norm(reach, contribution, share.uses_l1()));
  TACIT_ASSIGN_OR_RETURN(const Grid grid, share.grid(norm, reach, whole_numbers));
  TACIT_ASSIGN_OR_RETURN(const Clamp clamp, Clamp::create(lower, upper, grid));
  TACIT_ASSIGN_OR_RETURN(const Sensitivity sensitivity,
                         group_sums_sensitivity({clamp.lower(), clamp.upper()}, contribution));
  TACIT_ASSIGN_OR_RETURN(AdditiveNoise noise, share.noise(sensitivity));
  TACIT_ASSIGN_OR_RETURN(const Interval interval, internal::exact_interval(noise, grid));
  return GroupSums(clamp, std::move(noise), interval);
}

Result<double> GroupSums::half_width(double confidence) const {
  TACIT_ASSIGN_OR_RETURN(const std::int64_t steps, noise_.half_width(confidence));
  return clamp_.grid().to_real_above(steps);
}

Result<Released<std::vector<double>>> GroupSums::release_totals(std::span<const int128> totals,
                                                                Permit&& permit,
                                                                SecureStream& stream) const {
  TACIT_ASSIGN_OR_RETURN(const auto noisy, noise_.release(totals, std::move(permit), stream));
  Released<std::vector<double>> sums{std::vector<double>(noisy.value.size()), interval_};
  std::ranges::transform(noisy.value, sums.value.begin(),
                         [&](int128 steps) { return clamp_.grid().to_real(steps); });
  return sums;
}

Result<Released<std::vector<double>>> GroupSums::release_totals(
    std::span<const std::int64_t> totals, Permit&& permit, SecureStream& stream) const {
  return release_totals(std::vector<int128>(totals.begin(), totals.end()), std::move(permit),
                        stream);
}

}  // namespace tacit
