#pragma once

namespace tacit::learn {

// What one noisy vote cost in hindsight: the Rényi divergence, of an order above 1, of its outcomes
// from those on any neighbour, given the logarithm of a bound on the probability that the likeliest
// class does not win (proof.md, theorem 2). Private, as the bound is.

// Of a mechanism whose divergence is at most order / deviation^2 whatever the votes are: GNMax with
// noise of this deviation, or a test with sqrt(2) times its deviation.
double gaussian_vote_cost(double log_doubt, double deviation, double order);
// Of a mechanism that is epsilon-DP whatever the votes are: LNMax, with 2 / scale.
double pure_vote_cost(double log_doubt, double epsilon, double order);

}  // namespace tacit::learn
