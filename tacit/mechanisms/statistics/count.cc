#include "tacit/mechanisms/statistics/count.h"

#include <algorithm>
#include <utility>

#include "tacit/mechanisms/additive_internal.h"

namespace tacit {
namespace {

// The answer is rounded to a whole number, as is the true one, so the noise they differ by is the
// half-width rounded.
double whole_half_width(Grid grid, std::int64_t steps) {
  return static_cast<double>(grid.to_whole(steps));
}

}  // namespace

Count::Count(Grid grid, AdditiveNoise noise, Interval interval)
    : grid_(grid), noise_(std::move(noise)), interval_(interval) {}

Result<Count> Count::create(const Contribution& contribution, const NoiseTarget& target) {
  TACIT_ASSIGN_OR_RETURN(const NoiseShare share, NoiseShare::create(target));
  return create(contribution, share);
}

Result<Count> Count::create(const Contribution& contribution, const NoiseShare& share) {
  TACIT_ASSIGN_OR_RETURN(const Sensitivity whole, sum_sensitivity({1, 1}, contribution));
  TACIT_RETURN_IF_ERROR(internal::check_moves(whole.l1));
  TACIT_ASSIGN_OR_RETURN(const Grid chosen,
                         share.grid(internal::from_word(whole.l1), Rational(1), true));
  const Grid grid = std::min(chosen, Grid());  // one row is a whole number of steps
  const std::int64_t one = grid.nearest(Rational(1)).get_si();
  TACIT_ASSIGN_OR_RETURN(const Sensitivity sensitivity, sum_sensitivity({one, one}, contribution));
  TACIT_ASSIGN_OR_RETURN(AdditiveNoise noise, share.noise(sensitivity));
  TACIT_ASSIGN_OR_RETURN(const std::int64_t steps, noise.half_width(kDefaultConfidence));
  return Count(grid, std::move(noise),
               {whole_half_width(grid, steps), kDefaultConfidence, IntervalKind::kExact});
}

Result<double> Count::half_width(double confidence) const {
  TACIT_ASSIGN_OR_RETURN(const std::int64_t steps, noise_.half_width(confidence));
  return whole_half_width(grid_, steps);
}

Result<Released<std::int64_t>> Count::release(std::uint64_t rows, Permit&& permit,
                                              SecureStream& stream) const {
  const int128 total = int128{rows} * grid_.nearest(Rational(1)).get_si();
  TACIT_ASSIGN_OR_RETURN(const int128 noisy, noise_.release(total, std::move(permit), stream));
  return Released<std::int64_t>{grid_.to_whole(noisy), interval_};
}

}  // namespace tacit
