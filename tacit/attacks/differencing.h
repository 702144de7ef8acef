#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tacit/attacks/subset_sums.h"
#include "tacit/base/progress.h"

namespace tacit::attacks {

// The values that exact sums of whole numbers give away: by the difference of two sums, or by any
// other combination of them. Nothing for people whom they leave in doubt.
//
// A person's value follows from the sums just where the person alone is a combination of their
// member lists. That is decided by elimination modulo a prime near 2^61, where a combination with
// rational weights exists unless the prime divides its denominator.
Result<std::vector<std::optional<std::int64_t>>> differencing(const SubsetSums& released,
                                                              const Progress& progress = {});

}  // namespace tacit::attacks
