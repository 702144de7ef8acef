#pragma once

#include <cstdint>
#include <vector>

#include "tacit/attacks/subset_sums.h"

namespace tacit::attacks {

enum class Deviation : std::uint8_t {
  kSum,       // of all sums together: a few that are very wrong do little harm
  kGreatest,  // the worst: for noise with a bound
};

// The values, between 0 and 1, whose sums deviate least from noisy ones, by linear programming
// (Dinur, Nissim 2003; with the sum of deviations: Dwork, McSherry, Talwar 2007). Rounded, they are
// a guess at secret bits. Solved by Clp, which is loaded when this is called; an error says so
// where it is not installed.
Result<std::vector<double>> linear_programming(const SubsetSums& released, Deviation deviation);

}  // namespace tacit::attacks
