#pragma once

#include "tacit/base/error.h"
#include "tacit/privacy/cost.h"

namespace tacit {

// Two proved bounds with the truth between them.
struct ProvedBounds {
  double lower = 0;
  double upper = 0;
};

// Accounting by the privacy loss distribution: each leaf stands for a pair of distributions that
// dominates it (the tightest one where that is known), and the pairs are composed numerically with
// every error bounded. What lies between the bounds is the tight epsilon (delta) of the composed
// pairs: no accountant that knows the leaves alone can prove less than `lower`, and `upper` holds
// for the release. The bracket is at most 1e-3 wide, relative, unless a composition of many
// different atoms needs more memory than the accountant allows itself, one step has losses above
// 500, or there are more than 2^50 steps: these are left to sums of epsilons and deltas.
//
// Answers for Laplace, Gaussian, their discrete forms (the Gaussian one on one coordinate),
// randomized response, exponential, permute-and-flip, sparse vector, partition selection, pure and
// approximate guarantees; Poisson samples of one of these; compositions and repetitions; disjoint
// parts; groups, and the reading for replace neighbours, outside of samples and not over them. The
// upper end is never above the pure epsilon where there is one. Refuses by name what has no
// dominating pair (zCDP, Rényi, none proved) or none that is proved here.
//
// Thread-safe; no state is kept between calls.

// The least epsilon at which the cost is (epsilon, delta)-DP; infinity where there is none.
// `delta` lies in (0, 1).
Result<ProvedBounds> pld_epsilon(const Cost& cost, double delta);

// The least delta at which the cost is (epsilon, delta)-DP. `epsilon` is finite and at least 0.
Result<ProvedBounds> pld_delta(const Cost& cost, double epsilon);

}  // namespace tacit
