#include "tacit/mechanisms/statistics/group_means.h"

#include <algorithm>
#include <utility>

#include "tacit/mechanisms/statistics/group_sums_internal.h"
#include "tacit/mechanisms/statistics/mean_internal.h"

namespace tacit {

GroupMeans::GroupMeans(Clamp clamp, CentredSum sums, WholeTotals counts, std::vector<Cost> parts,
                       Cost cost)
    : clamp_(clamp),
      sums_(std::move(sums)),
      counts_(std::move(counts)),
      parts_(std::move(parts)),
      cost_(std::move(cost)) {}

Result<GroupMeans> GroupMeans::create(const GroupSumsParameters& parameters) {
  const auto& [lower, upper, whole_numbers, contribution, target] = parameters;
  TACIT_RETURN_IF_ERROR(internal::check_bounds(lower, upper));
  TACIT_ASSIGN_OR_RETURN(const NoiseShare share, NoiseShare::create(target, 2));
  const Rational reach = (upper - lower) / Rational(2);
  TACIT_ASSIGN_OR_RETURN(const Rational norm,
                         internal::group_norm(reach, contribution, share.uses_l1()));
  TACIT_ASSIGN_OR_RETURN(
      const Grid grid, share.grid(norm, internal::largest_magnitude(lower, upper), whole_numbers));
  TACIT_ASSIGN_OR_RETURN(const Clamp clamp, Clamp::create(lower, upper, grid));
  TACIT_ASSIGN_OR_RETURN(
      auto sums, CentredSum::for_groups(grid, {clamp.lower(), clamp.upper()}, contribution, share));
  TACIT_ASSIGN_OR_RETURN(const Sensitivity counted, group_sums_sensitivity({1, 1}, contribution));
  TACIT_ASSIGN_OR_RETURN(auto counts, WholeTotals::create(counted, share));
  std::vector<Cost> parts{sums.noise.cost(), counts.cost()};
  TACIT_ASSIGN_OR_RETURN(Cost cost, internal::composed(parts));
  return GroupMeans(clamp, std::move(sums), std::move(counts), std::move(parts), std::move(cost));
}

Result<std::vector<MeanRelease>> GroupMeans::release_totals(std::span<const int128> totals,
                                                            std::span<const std::uint64_t> rows,
                                                            Permit&& permit,
                                                            SecureStream& stream) const {
  if (totals.size() != rows.size()) {
    return bad_input("each group has one sum and one number of rows", "group means",
                     "give two lists of the same length, in the same order of groups");
  }
  TACIT_ASSIGN_OR_RETURN(auto permits, internal::divide(std::move(permit), cost_, parts_));
  std::vector<int128> offsets(totals.size());
  std::ranges::transform(totals, rows, offsets.begin(), [&](int128 total, std::uint64_t count) {
    return total - int128{sums_.centre} * int128{count};
  });
  TACIT_ASSIGN_OR_RETURN(const auto noisy,
                         sums_.noise.release(offsets, std::move(permits[0]), stream));
  TACIT_ASSIGN_OR_RETURN(const auto counts, counts_.release(rows, std::move(permits[1]), stream));
  std::vector<MeanRelease> releases(totals.size());
  for (std::size_t i = 0; i < releases.size(); ++i) {
    releases[i].noisy_offsets = noisy.value[i];
    releases[i].count.value = counts.value[i];
  }
  return at_confidence(releases, kDefaultConfidence);
}

Result<std::vector<MeanRelease>> GroupMeans::at_confidence(std::span<const MeanRelease> releases,
                                                           double confidence) const {
  TACIT_ASSIGN_OR_RETURN(const auto widths, internal::mean_widths(sums_, &counts_, confidence));
  std::vector<MeanRelease> means(releases.size());
  std::ranges::transform(releases, means.begin(), [&](const MeanRelease& release) {
    return internal::mean_of(release.noisy_offsets, release.count.value, sums_, clamp_, widths,
                             IntervalKind::kApproximate);
  });
  return means;
}

}  // namespace tacit
