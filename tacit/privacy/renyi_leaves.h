#pragma once

#include <span>
#include <utility>

// Rényi divergences of single mechanisms between neighbours, at any order above 1, rounded up. Each
// is nondecreasing in its epsilon and nonincreasing in its noise, so a parameter that is no double
// is rounded to the side of more divergence before the call. Formulas are derived in rdp_proof.md.
namespace tacit::renyi {

// Any epsilon-DP mechanism; attained by randomized response on a bit.
double of_pure(double epsilon, double order);

// Laplace noise of scale noise_multiplier on one coordinate that moves by 1.
double of_laplace(double noise_multiplier, double order);

// Integer noise with P(x) proportional to exp(-|x| / scale), moved by `sensitivity` (an integer).
double of_discrete_laplace(double scale, double sensitivity, double order);

// rho-zCDP, and with rho = 1 / (2 sigma^2) Gaussian noise, where it is attained.
double of_zcdp(double rho, double order);

// Truth with odds exp(epsilon) : 1 against each of the other `categories` - 1 values.
double of_randomized_response(double categories, double epsilon, double order);

// Any mechanism whose log probabilities move within an interval of length epsilon.
double of_bounded_range(double epsilon, double order);

// What divergences at some orders (ascending pairs of order and epsilon) say of another: between
// two of them by convexity of (order - 1) times the divergence, above the last nothing.
double of_points(std::span<const std::pair<double, double>> points, double order);

}  // namespace tacit::renyi
