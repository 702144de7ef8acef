#pragma once

#include <cstdint>

#include "tacit/privacy/cost.h"

namespace tacit {

// What follows when nothing is known of each mechanism but its epsilon and delta. Gaussian noise
// and zero-concentrated guarantees are first taken at a delta of their own, the best of a search.
// Epsilon is infinite, delta 1, where nothing is proved. All values are rounded up by interval
// arithmetic. `delta` must lie in [0, 1), `epsilon` be at least 0.

// Basic ("naive") composition: epsilons and deltas add up (Dwork, Kenthapadi, McSherry, Mironov,
// Naor 2006).
Result<double> basic_epsilon(const Cost& cost, double delta);
Result<double> basic_delta(const Cost& cost, double epsilon);

// Advanced ("strong") composition (Dwork, Rothblum, Vadhan 2010): k mechanisms, each
// (epsilon, delta), are together (epsilon', k delta + delta') with
//   epsilon' = sqrt(2 k ln(1/delta')) epsilon + k epsilon (e^epsilon - 1).
// With unequal epsilons the sums k epsilon^2 and k epsilon (e^epsilon - 1) become sums over the
// mechanisms: Azuma's inequality, on which the proof rests, takes a bound for each step.
Result<double> advanced_epsilon(const Cost& cost, double delta);
Result<double> advanced_delta(const Cost& cost, double epsilon);

}  // namespace tacit
