#include "tacit/mechanisms/statistics/centred_sum.h"

#include <utility>

namespace tacit {

Result<CentredSum> CentredSum::create(Grid grid, StepRange range, const Contribution& contribution,
                                      const NoiseShare& share) {
  const auto centre = static_cast<std::int64_t>((int128{range.lower} + int128{range.upper}) >> 1);
  TACIT_ASSIGN_OR_RETURN(
      const Sensitivity sensitivity,
      sum_sensitivity({range.lower - centre, range.upper - centre}, contribution));
  TACIT_ASSIGN_OR_RETURN(AdditiveNoise noise, share.noise(sensitivity));
  return CentredSum{grid, centre, std::move(noise)};
}

}  // namespace tacit
