#pragma once

#include <span>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/privacy/cost.h"

namespace tacit {

// The accountant of Rényi differential privacy (Mironov 2017). Every number here is an upper bound,
// rounded up; which theorem stands behind each node of a cost is said in rdp_proof.md.
//
// Refused by name, because nothing is proved: NoneProved leaves, a group over a subsample, a
// subsample over a group, a fixed-size sample over a part that has a delta of its own and is not
// one bare (epsilon, delta) guarantee, and a group over approximate zCDP.

// Up to a piece of probability `delta`, on which nothing is promised, the outputs on neighbours
// have Rényi divergence at most epsilons[i] at orders[i], in both directions; +infinity where
// nothing finite holds. An (epsilon, delta) leaf is such a pair: by Kairouz, Oh and Viswanath
// (2015) it is a post-processing of "reveal with probability delta, else epsilon-randomized
// response".
//
// delta is exact where the cost names it; where a group makes it grow or a sample shrink, the
// factor is rounded up.
struct RenyiBound {
  Rational delta;
  std::vector<double> epsilons;
};

// Orders must be above 1 and finite, in any sequence.
Result<RenyiBound> renyi_bound(const Cost& cost, std::span<const double> orders);

struct RdpEpsilon {
  double epsilon = 0;
  double order = 0;  // where the bound was found; 0 where no order was needed
};

// The least epsilon over all orders that the search visits (any order gives a true bound, so the
// search can miss a little, never promise too much). +infinity where the delta does not cover what
// the cost spends by itself. `delta` must lie in (0, 1): at 0 ask the pure accountant.
Result<RdpEpsilon> rdp_epsilon(const Cost& cost, double delta);
// The same over the orders given.
Result<RdpEpsilon> rdp_epsilon_at(const Cost& cost, double delta, std::span<const double> orders);
// The least delta at an epsilon of at least 0.
Result<double> rdp_delta(const Cost& cost, double epsilon);

// (order, rdp)-RDP gives (epsilon, delta)-DP: the conversion of Canonne, Kamath and Steinke (2020,
// Proposition 12) and its inverse, and where it says more the bound of Bretagnolle and Huber (1978)
// on the total variation. Both rounded up; preconditions order > 1, delta in (0, 1], rdp >= 0,
// epsilon >= 0.
double rdp_to_epsilon(double rdp, double order, double delta);
double rdp_to_delta(double rdp, double order, double epsilon);
// The older conversion, rdp + log(1/delta) / (order - 1) (Mironov 2017, Proposition 3).
double rdp_to_epsilon_classic(double rdp, double order, double delta);

// The moments accountant's view (Abadi et al. 2016): the log moment at lambda > 0 is
// lambda times the divergence at order lambda + 1, and tails come from it by Markov's inequality.
Result<RenyiBound> log_moments(const Cost& cost, std::span<const double> lambdas);
double moments_to_epsilon(double log_moment, double lambda, double delta);
double moments_to_delta(double log_moment, double lambda, double epsilon);

}  // namespace tacit
