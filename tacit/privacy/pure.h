#pragma once

#include "tacit/base/rational.h"
#include "tacit/privacy/cost.h"

namespace tacit {

// An upper bound on the pure epsilon of a cost: exact where the theorem gives a rational number
// (Laplace, exponential, sparse vector, sums and multiples of them), else rounded up, to at most
// 1e-12 above the true value. Refuses, by name, a cost for which no pure epsilon exists or is
// proved: Gaussian noise, a delta above 0, zero-concentrated and Rényi guarantees.
//
//   compose, repeat   the sum (Dwork, McSherry, Nissim, Smith 2006)
//   parallel          add/remove: the largest. Replace: the sum of the two largest, because a unit
//                     whose rows are replaced may leave one part and enter another; each of the two
//                     parts then sees one unit's rows replaced, by none or of none
//   Poisson sample    ln(1 + q (e^epsilon - 1)) (Li, Qardaji, Su 2012)
//   fixed-size sample the same with q = size / population, for replace neighbours (Balle, Barthe,
//                     Gaboardi 2018)
//   group             size times epsilon;  as_replace: twice epsilon
Result<Rational> pure_epsilon(const Cost& cost);

// ln(1 + rate (e^epsilon - 1)), rounded up as above. `rate` in [0, 1], `epsilon` at least 0.
Rational amplified_epsilon(const Rational& rate, const Rational& epsilon);

}  // namespace tacit
