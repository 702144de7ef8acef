#pragma once

#include "tacit/base/rational.h"
#include "tacit/privacy/cost.h"

namespace tacit {

// Zero-concentrated differential privacy (Bun, Steinke 2016): the Rényi divergence at every order
// alpha > 1 is at most rho alpha, but for a piece of probability delta (their approximate zCDP).
// Exact rational arithmetic; conversions are rounded up by interval arithmetic.
struct ZcdpBound {
  Rational rho;
  Rational delta;
};

//   Gaussian             1 / (2 multiplier^2) (Bun, Steinke 2016, Proposition 1.6)
//   discrete Gaussian    squared sensitivity / (2 variance) (Canonne, Kamath, Steinke 2020)
//   pure epsilon         epsilon^2 / 2 (Bun, Steinke, Proposition 1.4), permute-and-flip and sparse
//                        vector included
//   exponential          epsilon^2 / 8 (Cesar, Rogers 2021, Lemmas 3.2 and 3.4: bounded range)
//   (epsilon, delta)     epsilon^2 / 2 but for delta
//   compose, repeat      sums of rho and of delta;  parallel: as in pure.h
//   group of n           n^2 rho;  as_replace: 4 rho
//
// Refused by name: a Rényi guarantee (it holds at a few orders only), a sample of what has no pure
// epsilon (sampling does not amplify zCDP), a group over a Zcdp leaf with a delta.
Result<ZcdpBound> zcdp_bound(const Cost& cost);

// rho-zCDP gives (epsilon, delta)-DP with
//   delta = inf over alpha > 1 of e^((alpha - 1)(alpha rho - epsilon)) (1 - 1/alpha)^alpha / (alpha
//   - 1)
// (Canonne, Kamath, Steinke 2020, from their Proposition 12), and its inverse for a delta in (0,
// 1).
double zcdp_delta(double rho, double epsilon);
double zcdp_epsilon(double rho, double delta);
// rho + 2 sqrt(rho ln(1/delta)) (Bun, Steinke 2016, Proposition 1.3), for comparison.
double zcdp_epsilon_classic(double rho, double delta);

// The same of a bound with a piece left out; epsilon is infinite where delta does not cover it.
double zcdp_delta(const ZcdpBound& bound, double epsilon);
double zcdp_epsilon(const ZcdpBound& bound, double delta);

}  // namespace tacit
