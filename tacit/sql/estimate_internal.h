#pragma once

#include "tacit/mechanisms/release.h"
#include "tacit/sql/plan.h"

namespace tacit::sql {

// Averages, variances and deviations from noisy sums: post-processing, so it costs nothing.

// A released number and how far the noise may have moved it.
struct Noisy {
  double value = 0;
  double half_width = 0;
};

// The mean of values in [lower, upper] from the sum of their offsets from `centre` and their count.
// Each argument's half-width holds with such a confidence that all hold together.
Noisy mean_of(const Noisy& offsets, const Noisy& count, double centre, double lower, double upper);

// The variance, with `freedom` (0 or 1) taken from the count below.
Noisy variance_of(const Noisy& squares, const Noisy& offsets, const Noisy& count, double width,
                  double freedom);

// The root, and the range that it leaves open.
Noisy deviation_of(const Noisy& variance);

}  // namespace tacit::sql
