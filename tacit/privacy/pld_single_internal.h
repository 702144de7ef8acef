#pragma once

#include "tacit/privacy/pld_pairs_internal.h"

namespace tacit::pld {

// Bounds for one pair that is not composed, straight from its tails.
double single_delta_upper(const DominatingPair& pair, double epsilon);
double single_delta_lower(const DominatingPair& pair, double epsilon);
// At least 0; infinity where no epsilon will do.
double single_epsilon_upper(const DominatingPair& pair, double delta);
double single_epsilon_lower(const DominatingPair& pair, double delta);

}  // namespace tacit::pld
