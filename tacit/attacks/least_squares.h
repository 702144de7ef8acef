#pragma once

#include <vector>

#include "tacit/attacks/subset_sums.h"
#include "tacit/base/progress.h"

namespace tacit::attacks {

// The values, between 0 and 1, that fit noisy sums best in the sense of least squares (Dinur,
// Nissim 2003; Dwork, Yekhanin 2008). Rounded, they are a guess at secret bits.
Result<std::vector<double>> least_squares(const SubsetSums& released,
                                          const Progress& progress = {});

}  // namespace tacit::attacks
