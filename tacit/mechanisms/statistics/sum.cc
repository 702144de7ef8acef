#include "tacit/mechanisms/statistics/sum.h"

#include <utility>

#include "tacit/mechanisms/statistics/column_internal.h"

namespace tacit {

Sum::Sum(Clamp clamp, AdditiveNoise noise, Interval interval)
    : clamp_(clamp), noise_(std::move(noise)), interval_(interval) {}

Result<Sum> Sum::create(const ColumnParameters& parameters) {
  const auto& [lower, upper, whole_numbers, contribution, target] = parameters;
  TACIT_RETURN_IF_ERROR(internal::check_bounds(lower, upper));
  TACIT_ASSIGN_OR_RETURN(const NoiseShare share, NoiseShare::create(target));
  TACIT_ASSIGN_OR_RETURN(const Grid grid,
                         share.grid(internal::real_sensitivity(lower, upper, contribution),
                                    internal::largest_magnitude(lower, upper), whole_numbers));
  TACIT_ASSIGN_OR_RETURN(const Clamp clamp, Clamp::create(lower, upper, grid));
  TACIT_ASSIGN_OR_RETURN(const Sensitivity sensitivity,
                         sum_sensitivity({clamp.lower(), clamp.upper()}, contribution));
  TACIT_ASSIGN_OR_RETURN(AdditiveNoise noise, share.noise(sensitivity));
  TACIT_ASSIGN_OR_RETURN(const Interval interval, internal::exact_interval(noise, grid));
  return Sum(clamp, std::move(noise), interval);
}

Result<double> Sum::half_width(double confidence) const {
  TACIT_ASSIGN_OR_RETURN(const std::int64_t steps, noise_.half_width(confidence));
  return clamp_.grid().to_real_above(steps);
}

Result<Released<double>> Sum::release(std::span<const double> values, Permit&& permit,
                                      SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(internal::check_permit(permit, cost()));
  return release_total(clamp_.sum(values), std::move(permit), stream);
}

Result<Released<double>> Sum::release(std::span<const std::int64_t> values, Permit&& permit,
                                      SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(internal::check_permit(permit, cost()));
  return release_total(clamp_.sum(values), std::move(permit), stream);
}

Result<Released<double>> Sum::release_total(int128 total, Permit&& permit,
                                            SecureStream& stream) const {
  TACIT_ASSIGN_OR_RETURN(const int128 noisy, noise_.release(total, std::move(permit), stream));
  return Released<double>{clamp_.grid().to_real(noisy), interval_};
}

}  // namespace tacit
