#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "tacit/train/clipping.h"
#include "tacit/train/parameter_use_internal.h"

namespace tacit::train {

// What every example's gradient is multiplied by.
struct ClipFactors {
  at::Tensor squares;               // no less than the squares of the whole gradients' norms
  at::Tensor lost;                  // which of these are not finite
  std::vector<at::Tensor> factors;  // one a parameter, 0 for examples that are lost
};

// Norms as no less than they are, in double precision: [parameters, examples].
at::Tensor upper_squares(const std::vector<SquaredNorms>& norms);

// Factors that keep gradients of these norms to the clipping's bound, less what pays for rounding,
// and at most to bound / threshold.
ClipFactors clip_factors(const std::vector<SquaredNorms>& norms, const Clipping& clipping,
                         double threshold);

}  // namespace tacit::train
