#pragma once

#include <cstdint>

#include "tacit/mechanisms/noise.h"

namespace tacit {

// A noisy sum of values in a range of steps, each taken as an offset from the middle of the range,
// which makes the sensitivity under add/remove about half of what the range asks for.
struct CentredSum {
  Grid grid;
  std::int64_t centre;
  AdditiveNoise noise;

  static Result<CentredSum> create(Grid grid, StepRange range, const Contribution& contribution,
                                   const NoiseShare& share);
  // One for each of any number of groups.
  static Result<CentredSum> for_groups(Grid grid, StepRange range,
                                       const GroupContribution& contribution,
                                       const NoiseShare& share);
};

}  // namespace tacit
