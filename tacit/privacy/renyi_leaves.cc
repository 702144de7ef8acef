#include "tacit/privacy/renyi_leaves.h"

#include <algorithm>
#include <cmath>

#include "tacit/privacy/renyi_rounding_internal.h"

namespace tacit::renyi {
namespace {

// Beyond this exponents are handled in their logarithm.
constexpr double kLargeExponent = 300;

// An upper bound on log(a e^x + b e^-y) / (order - 1), where a + b = 1, all are at least 0 and
// known to 8 units, relative, but b only to b_error units of 1.
double of_two_exponentials(double a, double x, double b, double y, double b_error, double order) {
  if (x > 2 * kLargeExponent) {
    const double log_moment = x + std::log(a) + b / a * std::exp(-x - y);
    return up((log_moment + 32 * kUnit * x) / (order - 1), 4);
  }
  const double rise = a * std::expm1(x);
  const double fall = -std::expm1(-y);
  // An error of 8 units in x moves e^x by 8 x units.
  const double error = rise * (32 + 8 * x) + fall * (b * 32 + b_error);
  return divergence_from_excess(std::max(0.0, rise - b * fall) + error * kUnit, order);
}

}  // namespace

double of_pure(double epsilon, double order) { return of_randomized_response(2, epsilon, order); }

double of_randomized_response(double categories, double epsilon, double order) {
  if (epsilon == 0 || epsilon == kInfinity) return epsilon;
  const double a = order * epsilon / 2;
  const double b = (order - 1) * epsilon / 2;
  if (a < kLargeExponent) {
    const double odds = std::exp(epsilon);
    const double weight = std::exp(epsilon / 2) / (odds + categories - 1);
    const double excess = 4 * weight * std::sinh(a) * std::sinh(b);
    return std::min(epsilon, divergence_from_excess(up(excess, 40 + 8 * a), order));
  }
  // log(e^(order epsilon) + e^((1 - order) epsilon) + categories - 2) - log(e^epsilon + categories
  // - 1), each with e^(order epsilon) and e^epsilon taken out.
  const double shrink = std::log1p((categories - 1) * std::exp(-epsilon));
  const double grow = std::log1p(std::exp(-4 * a + epsilon) + (categories - 2) * std::exp(-2 * a));
  const double correction = (grow - shrink) + 16 * kUnit * (grow + shrink);
  return std::min(epsilon, up(epsilon, 2) + correction / (order - 1));
}

double of_laplace(double noise_multiplier, double order) {
  const double shift = up(1 / noise_multiplier, 1);
  if (shift == kInfinity) return kInfinity;
  const double total = 2 * order - 1;
  const double exact = of_two_exponentials(order / total, (order - 1) * shift, (order - 1) / total,
                                           order * shift, 0, order);
  return std::min(of_pure(shift, order), exact);
}

double of_discrete_laplace(double scale, double sensitivity, double order) {
  const double rate = up(1 / scale, 1);
  const double shift = up(rate * sensitivity, 1);
  if (shift == kInfinity) return kInfinity;
  const double norm = std::tanh(rate / 2);
  const double outer = 1 / std::expm1(rate);
  const double inner = 1 / std::expm1((2 * order - 1) * rate);
  const double exact = of_two_exponentials(norm * (1 + outer + inner), (order - 1) * shift,
                                           norm * std::max(0.0, outer - inner), order * shift,
                                           norm * (outer + inner) * 32, order);
  return std::min(of_pure(shift, order), exact);
}

double of_zcdp(double rho, double order) { return rho == 0 ? 0 : up(rho * order, 2); }

double of_bounded_range(double epsilon, double order) {
  if (epsilon == 0 || epsilon == kInfinity) return epsilon;
  const double concentrated = of_zcdp(up(epsilon * epsilon / 8, 2), order);
  // The worst split of the interval: y = (order - 1) a / (order b), a = 1 - e^(-order epsilon),
  // b = e^-epsilon (1 - e^(-(order - 1) epsilon)).
  const double log_a = std::log(-std::expm1(-order * epsilon));
  const double log_b = std::log(-std::expm1(-(order - 1) * epsilon)) - epsilon;
  const double log_y = std::log((order - 1) / order) + log_a - log_b;
  const double log_excess = log_a - std::log(order) - std::log(-std::expm1(-epsilon));
  const double size = std::abs(log_a) + std::abs(log_b) + epsilon + std::log(order) +
                      std::abs(std::log((order - 1) / order)) +
                      std::abs(std::log(-std::expm1(-epsilon))) + 1;
  const double exact = log_y + log_excess / (order - 1) + 16 * kUnit * size * (1 + 1 / (order - 1));
  return std::min({epsilon, concentrated, std::max(exact, 0.0)});
}

double of_points(std::span<const std::pair<double, double>> points, double order) {
  const auto above = std::ranges::lower_bound(points, order, {}, &std::pair<double, double>::first);
  if (above == points.end()) return kInfinity;
  if (above->first == order || above == points.begin()) return above->second;
  const auto below = std::prev(above);
  const double left = (below->first - 1) * below->second;
  const double right = (above->first - 1) * above->second;
  const double share = (order - below->first) / (above->first - below->first);
  const double chord = up(((1 - share) * left + share * right) / (order - 1), 16);
  return std::min(above->second, chord);
}

}  // namespace tacit::renyi
