#pragma once

#include "tacit/privacy/renyi_chain.h"

// What sampling does to Rényi divergences that are known only as a curve. Each function returns a
// curve, rounded up, that is never above the curve of the part itself. Proofs and sources are in
// rdp_proof.md.
namespace tacit::renyi {

// The triangle inequality of the L_a norm for E_Q[(1 - q + q P/Q)^a], where `divergence` is that of
// P from Q at this order: log E <= a log(1 - q + q e^((a - 1) / a divergence)), as a divergence.
double by_norm_inequality(double rate, double divergence, double order);

// Any epsilon-DP mechanism on a Poisson sample, add/remove neighbours; attained by randomized
// response on a bit.
double of_subsampled_pure(double rate, double epsilon, double order);

// A Poisson sample, add/remove neighbours. `symmetric` says that the part has a dominating pair of
// distributions which a map of the outputs swaps, and `part` is its divergence; then the bound is
// the divergence itself at integer orders, and the chord of log moments between them.
Divergence of_poisson_sample(Divergence part, double rate, bool symmetric);

// A sample of fixed size without replacement, `rate` = size / population, replace neighbours (Wang,
// Balle and Kasiviswanathan 2019, Theorem 9). `part_epsilon` is the part's pure epsilon, +infinity
// where it has none.
Divergence of_fixed_size_sample(Divergence part, double part_epsilon, double rate);

// The same for a part with a dominating pair that a map of the outputs swaps, from the divergence
// of that pair under a Poisson sample of this rate: excess moments at most double.
Divergence of_fixed_size_pair(Divergence poisson_sampled_pair);

}  // namespace tacit::renyi
