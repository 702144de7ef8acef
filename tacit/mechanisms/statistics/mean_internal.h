#pragma once

#include <cstdint>

#include "tacit/mechanisms/clamp.h"
#include "tacit/mechanisms/statistics/centred_sum.h"
#include "tacit/mechanisms/statistics/mean.h"
#include "tacit/mechanisms/statistics/moments_internal.h"

// What the mean of a column and the means of its groups share.
namespace tacit::internal {

// How far, at some confidence, noise may have moved the numbers a mean is made of: sum and count
// both at once, and the count by itself.
struct MeanWidths {
  double confidence = 0;
  double sum = 0;
  double count = 0;
  double count_alone = 0;
};

// No `count`: the number of rows is public.
template <class CountMechanism>
Result<MeanWidths> mean_widths(const CentredSum& sum, const CountMechanism* count,
                               double confidence) {
  TACIT_RETURN_IF_ERROR(check_confidence(confidence));
  const double each = for_each_of(count != nullptr ? 2 : 1, confidence);
  MeanWidths widths{.confidence = confidence};
  TACIT_ASSIGN_OR_RETURN(const std::int64_t steps, sum.noise.half_width(each));
  widths.sum = sum.grid.to_real_above(steps);
  if (count == nullptr) return widths;
  TACIT_ASSIGN_OR_RETURN(widths.count, count->half_width(each));
  TACIT_ASSIGN_OR_RETURN(widths.count_alone, count->half_width(confidence));
  return widths;
}

// The mean and its interval from released numbers only.
inline MeanRelease mean_of(int128 noisy_offsets, std::int64_t count, const CentredSum& sum,
                           const Clamp& clamp, const MeanWidths& widths, IntervalKind kind) {
  const Grid grid = clamp.grid();
  const Estimate mean = quotient({grid.to_real(noisy_offsets), widths.sum},
                                 {static_cast<double>(count), widths.count})
                            .shifted(grid.to_real(sum.centre))
                            .within(grid.to_real(clamp.lower()), grid.to_real(clamp.upper()));
  return {.mean = mean.released(widths.confidence, kind),
          .count = {count, {widths.count_alone, widths.confidence, IntervalKind::kExact}},
          .noisy_offsets = noisy_offsets};
}

}  // namespace tacit::internal
