#include "tacit/mechanisms/statistics/centred_sum.h"

#include <utility>

namespace tacit {
namespace {

std::int64_t middle(StepRange range) {
  return static_cast<std::int64_t>((int128{range.lower} + int128{range.upper}) >> 1);
}

StepRange offsets(StepRange range) {
  return {range.lower - middle(range), range.upper - middle(range)};
}

}  // namespace

Result<CentredSum> CentredSum::create(Grid grid, StepRange range, const Contribution& contribution,
                                      const NoiseShare& share) {
  TACIT_ASSIGN_OR_RETURN(const Sensitivity sensitivity,
                         sum_sensitivity(offsets(range), contribution));
  TACIT_ASSIGN_OR_RETURN(AdditiveNoise noise, share.noise(sensitivity));
  return CentredSum{grid, middle(range), std::move(noise)};
}

Result<CentredSum> CentredSum::for_groups(Grid grid, StepRange range,
                                          const GroupContribution& contribution,
                                          const NoiseShare& share) {
  TACIT_ASSIGN_OR_RETURN(const Sensitivity sensitivity,
                         group_sums_sensitivity(offsets(range), contribution));
  TACIT_ASSIGN_OR_RETURN(AdditiveNoise noise, share.noise(sensitivity));
  return CentredSum{grid, middle(range), std::move(noise)};
}

}  // namespace tacit
