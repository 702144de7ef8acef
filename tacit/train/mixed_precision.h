#pragma once

#include <string>

#include "tacit/base/error.h"

namespace tacit::train {

// What a plan says where the forward and backward pass run in half precision (autocast), while
// parameters, norms and sums stay in single precision. The proof then rests on assumption D of
// proof.md, and on passes of one shape (PrivateSgd::passes).
struct MixedPrecision {
  // What losses are multiplied by on the way back, and gradients divided by again, lest small ones
  // vanish in float16. A power of two. (bfloat16 needs none.)
  double loss_scale = 1;

  // Refuses a scale that is no power of two from 1 to 2^24.
  [[nodiscard]] Result<void> check() const;
  // "mixed", "mixed, losses times 1024".
  [[nodiscard]] std::string to_text() const;

  bool operator==(const MixedPrecision&) const = default;
};

}  // namespace tacit::train
