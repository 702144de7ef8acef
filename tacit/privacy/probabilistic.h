#pragma once

#include "tacit/privacy/cost.h"

namespace tacit {

// Probabilistic differential privacy: but for a set of answers of probability at most delta, the
// privacy loss ln(P(answer) / P'(answer)) is at most epsilon (Machanavajjhala et al. 2008). It
// implies (epsilon, delta)-DP. Unlike DP it is not kept by post-processing, so a bound is a bound
// on the loss of the mechanism named in the cost, whose answer is published as it is.
//
//   pure epsilon      the loss never passes epsilon; losses that cannot add up to more are simply
//                     subtracted from epsilon
//   one Gaussian      the loss is N(mu^2/2, mu^2): delta = P[N > epsilon/mu - mu/2]
//   many, adaptively  with mu^2 = sum of mu_i^2,
//                       delta = P[N > epsilon/mu - mu/2] + e^epsilon P[N > epsilon/mu + mu/2].
//                     The sum of losses is a Brownian motion with drift 1/2, watched up to time
//                     mu^2; who asks may spend less sensitivity once the loss is high (stop while
//                     ahead), so what counts is the chance that it ever passes epsilon: the
//                     first-passage law of Bachelier and Lévy. One tail alone would be too small.
//   rho-zCDP          exp(-(epsilon - rho)^2 / (4 rho)) for epsilon > rho (Bun, Steinke 2016,
//                     by Markov's inequality, which adaptivity does not disturb)
//   (epsilon0, delta0) delta0 / (1 - e^(epsilon0 - epsilon)) for epsilon > epsilon0: on
//                     S = {loss > epsilon}, P(S) <= e^epsilon0 P'(S) + delta0 and
//                     P'(S) <= e^-epsilon P(S)
//
// The least of those that apply is returned. Delta is 1, epsilon infinite, where none does.
Result<double> probabilistic_delta(const Cost& cost, double epsilon);
Result<double> probabilistic_epsilon(const Cost& cost, double delta);

// (epsilon0, delta0)-DP as probabilistic DP at an epsilon above epsilon0.
double probabilistic_from_approximate(double epsilon0, double delta0, double epsilon);

}  // namespace tacit
