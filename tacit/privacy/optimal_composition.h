#pragma once

#include "tacit/privacy/cost.h"

namespace tacit {

// The least that can be said of a composition when nothing is known of each mechanism but its
// epsilon and delta (Kairouz, Oh, Viswanath 2015, Theorem 3.3; with unequal parameters Murtagh,
// Vadhan 2016). An (epsilon, delta) mechanism is at worst one that reveals its input
// with probability delta and else answers by randomized response with odds e^epsilon, so the
// composition is at worst the product of these, of which delta is
//
//   1 - prod(1 - delta_i) (1 - sum over outcomes of P(loss) (1 - e^(epsilon - loss))_+).
//
// The sum runs over how often each distinct epsilon lied. This is the whole curve, not only the
// grid of epsilons in the paper. Rounded up: a bound on the error of the sums is added at the end.
// Gaussian noise and zero-concentrated guarantees are taken as in advanced.h.
//
// Refused by name where the different epsilons have more than a million outcomes together: the
// problem is #P-complete (Murtagh, Vadhan 2016).
Result<double> optimal_epsilon(const Cost& cost, double delta);
Result<double> optimal_delta(const Cost& cost, double epsilon);

}  // namespace tacit
