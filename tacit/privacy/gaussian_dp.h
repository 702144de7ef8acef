#pragma once

#include "tacit/privacy/cost.h"

namespace tacit {

// Gaussian differential privacy (Dong, Roth, Su 2022): telling neighbours apart is at least as hard
// as telling N(0, 1) from N(mu, 1). Every number is rounded to the safe side by interval
// arithmetic.

// The mechanism is mu-GDP but for a piece of probability delta, on which nothing is promised.
struct GaussianBound {
  double mu = 0;
  double delta = 0;
};

// Gaussian noise is 1/multiplier-GDP. An epsilon-DP mechanism is mu-GDP for
// mu = 2 Phi^-1(e^epsilon / (1 + e^epsilon)): the two trade-off curves meet where both errors are
// 1 / (1 + e^epsilon), and up to there one is the chord of the other, which is convex. An
// (epsilon, delta) guarantee is that with a piece of delta left out (Kairouz, Oh, Viswanath 2015).
// Squares of mu add up under composition; a group of n multiplies mu by n.
//
// Refused by name: discrete Gaussian noise, zero-concentrated and Rényi guarantees, and a sample of
// what has no pure epsilon (the central limit theorem for it is an approximation, not a bound).
Result<GaussianBound> gaussian_bound(const Cost& cost);

// delta(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu), exact for Gaussian
// noise (Balle, Wang 2018, Theorem 8); and its inverse, the least epsilon for a delta in (0, 1).
// Preconditions: mu >= 0, epsilon >= 0.
double gaussian_delta(double mu, double epsilon);
double gaussian_epsilon(double mu, double delta);

// The same of a bound with a piece left out; epsilon is infinite where delta does not cover it.
double gaussian_delta(const GaussianBound& bound, double epsilon);
double gaussian_epsilon(const GaussianBound& bound, double delta);

// The trade-off curves of f-DP: the least type II error of any test whose type I error is at most
// `type_one`, rounded down. Of mu-GDP, and of (epsilon, delta)-DP (Wasserman, Zhou 2010).
double gaussian_trade_off(double mu, double type_one);
double approximate_trade_off(double epsilon, double delta, double type_one);

// The analytic Gaussian mechanism (Balle, Wang 2018): the least noise multiplier that gives
// (epsilon, delta), at most 1e-13 above the true one and never below it.
Result<double> analytic_gaussian_multiplier(double epsilon, double delta);

}  // namespace tacit
