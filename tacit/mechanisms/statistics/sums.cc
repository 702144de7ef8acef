#include "tacit/mechanisms/statistics/sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tacit/mechanisms/statistics/column_internal.h"

namespace tacit {
namespace {

// The norm of the columns' sensitivities, rounded up; it chooses the grid.
Result<Rational> real_norm(const SumsParameters& parameters, bool l1) {
  Rational norm = 0;
  for (const auto& [lower, upper] : parameters.bounds) {
    const Rational column = internal::real_sensitivity(lower, upper, parameters.contribution);
    norm = norm + (l1 ? column : column * column);
  }
  if (l1) return norm;
  return Rational::exactly(std::sqrt(norm.upper()) * (1 + 1e-12));
}

Rational largest_magnitude(const SumsParameters& parameters) {
  Rational largest = 0;
  for (const auto& [lower, upper] : parameters.bounds) {
    largest = std::max(largest, internal::largest_magnitude(lower, upper));
  }
  return largest;
}

}  // namespace

Sums::Sums(std::vector<Clamp> clamps, Grid grid, AdditiveNoise noise, Interval interval)
    : clamps_(std::move(clamps)), grid_(grid), noise_(std::move(noise)), interval_(interval) {}

Result<Sums> Sums::create(const SumsParameters& parameters) {
  if (parameters.bounds.empty()) {
    return bad_input("there is nothing to sum", "sums", "give the bounds of one column or more");
  }
  for (const auto& [lower, upper] : parameters.bounds) {
    TACIT_RETURN_IF_ERROR(internal::check_bounds(lower, upper));
  }
  TACIT_ASSIGN_OR_RETURN(const NoiseShare share, NoiseShare::create(parameters.target));
  TACIT_ASSIGN_OR_RETURN(const Rational norm, real_norm(parameters, share.uses_l1()));
  TACIT_ASSIGN_OR_RETURN(const Grid grid,
                         share.grid(norm, largest_magnitude(parameters), parameters.whole_numbers));
  std::vector<Clamp> clamps;
  std::vector<StepRange> ranges;
  for (const auto& [lower, upper] : parameters.bounds) {
    TACIT_ASSIGN_OR_RETURN(const Clamp clamp, Clamp::create(lower, upper, grid));
    clamps.push_back(clamp);
    ranges.push_back({clamp.lower(), clamp.upper()});
  }
  TACIT_ASSIGN_OR_RETURN(const Sensitivity sensitivity,
                         sums_sensitivity(ranges, parameters.contribution));
  TACIT_ASSIGN_OR_RETURN(AdditiveNoise noise, share.noise(sensitivity));
  TACIT_ASSIGN_OR_RETURN(const Interval interval, internal::exact_interval(noise, grid));
  return Sums(std::move(clamps), grid, std::move(noise), interval);
}

Result<double> Sums::half_width(double confidence) const {
  TACIT_ASSIGN_OR_RETURN(const std::int64_t steps, noise_.half_width(confidence));
  return grid_.to_real_above(steps);
}

Result<Released<std::vector<double>>> Sums::release(std::span<const double> rows, Permit&& permit,
                                                    SecureStream& stream) const {
  const std::size_t columns = clamps_.size();
  if (rows.size() % columns != 0) {
    return bad_input(fmt::format("{} values do not make rows of {} columns", rows.size(), columns),
                     "sums", "give the rows one after the other, each with a value per column");
  }
  TACIT_RETURN_IF_ERROR(internal::check_permit(permit, cost()));
  std::vector<int128> totals(columns, 0);
  for (std::size_t row = 0; row < rows.size(); row += columns) {
    for (std::size_t j = 0; j < columns; ++j) totals[j] += clamps_[j](rows[row + j]);
  }
  return release_totals(totals, std::move(permit), stream);
}

Result<Released<std::vector<double>>> Sums::release_totals(std::span<const int128> totals,
                                                           Permit&& permit,
                                                           SecureStream& stream) const {
  TACIT_ASSIGN_OR_RETURN(const auto noisy, noise_.release(totals, std::move(permit), stream));
  Released<std::vector<double>> sums{std::vector<double>(noisy.value.size()), interval_};
  std::transform(noisy.value.begin(), noisy.value.end(), sums.value.begin(),
                 [&](int128 steps) { return grid_.to_real(steps); });
  return sums;
}

}  // namespace tacit
