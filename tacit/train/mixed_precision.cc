#include "tacit/train/mixed_precision.h"

#include <fmt/format.h>

#include <cmath>

namespace tacit::train {

Result<void> MixedPrecision::check() const {
  int exponent = 0;
  const bool is_power = std::isfinite(loss_scale) && std::frexp(loss_scale, &exponent) == 0.5;
  if (is_power && loss_scale >= 1 && loss_scale <= 0x1p24) return {};
  return bad_input("the loss scale must be a power of two from 1 to 16777216", "mixed precision",
                   "give one such as 1024, or leave it out");
}

std::string MixedPrecision::to_text() const {
  return loss_scale == 1 ? "mixed" : fmt::format("mixed, losses times {}", loss_scale);
}

}  // namespace tacit::train
