#include "tacit/privacy/rdp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacit/privacy/rdp_search_internal.h"
#include "tacit/privacy/renyi_curve_internal.h"
#include "tacit/privacy/renyi_rounding_internal.h"

namespace tacit {
namespace {

using renyi::Curve;
using renyi::kInfinity;
using renyi::kUnit;
using renyi::up;

Result<void> check_orders(std::span<const double> orders) {
  for (const double order : orders) {
    if (!(order > 1 && order < kInfinity)) {
      return bad_input(fmt::format("order {} is not a number above 1", order), "orders",
                       "give orders such as 1.5, 2 and 32");
    }
  }
  return {};
}

Result<void> check_delta(double delta) {
  if (delta > 0 && delta < 1) return {};
  return bad_input(fmt::format("Rényi divergences prove nothing at delta {}", delta), "delta",
                   delta == 0 ? "ask the pure accountant" : "give a number such as 1e-5");
}

// What is left of `delta` for the conversion: total = own + (1 - own) converted.
double delta_left(const Curve& curve, double delta) {
  return std::max(0.0, (Rational::exactly(delta).value() - curve.delta()).lower());
}

// log of the delta of Canonne, Kamath and Steinke (2020, Proposition 12), rounded up.
double log_delta(double rdp, double order, double epsilon) {
  const double share = std::log1p(-1 / order);
  const double value = (order - 1) * (rdp - epsilon + share) - std::log(order);
  const double size = (order - 1) * (rdp + epsilon - share) + std::log(order);
  return value + 16 * kUnit * size;
}

// Bretagnolle and Huber (1978): the total variation is at most sqrt(1 - e^-KL), and the divergence
// of Kullback and Leibler is at most that of any order above 1. A guarantee at epsilon 0.
double total_variation(double rdp) { return std::min(1.0, up(std::sqrt(-std::expm1(-rdp)), 8)); }

// Orders to try beside those of the search: where the curve says so, and near 1, where the bound on
// the total variation is least.
std::vector<double> landmarks(const Curve& curve) {
  std::vector<double> orders = curve.landmarks();
  orders.push_back(1 + 0x1p-10);
  return orders;
}

RdpEpsilon epsilon_at(const Curve& curve, double order, double delta) {
  return {.epsilon = rdp_to_epsilon(curve.at(order), order, delta), .order = order};
}

}  // namespace

Result<RenyiBound> renyi_bound(const Cost& cost, std::span<const double> orders) {
  TACIT_RETURN_IF_ERROR(check_orders(orders));
  TACIT_ASSIGN_OR_RETURN(const Curve curve, renyi::curve_of(cost));
  RenyiBound bound{.delta = curve.delta(), .epsilons = {}};
  bound.epsilons.reserve(orders.size());
  for (const double order : orders) bound.epsilons.push_back(curve.at(order));
  return bound;
}

Result<RdpEpsilon> rdp_epsilon_at(const Cost& cost, double delta, std::span<const double> orders) {
  TACIT_RETURN_IF_ERROR(check_delta(delta));
  TACIT_RETURN_IF_ERROR(check_orders(orders));
  TACIT_ASSIGN_OR_RETURN(const Curve curve, renyi::curve_of(cost));
  const double left = delta_left(curve, delta);
  RdpEpsilon best{.epsilon = kInfinity, .order = 0};
  if (left == 0) return best;
  for (const double order : orders) {
    const RdpEpsilon here = epsilon_at(curve, order, left);
    if (here.epsilon < best.epsilon) best = here;
  }
  return best;
}

Result<RdpEpsilon> rdp_epsilon(const Cost& cost, double delta) {
  TACIT_RETURN_IF_ERROR(check_delta(delta));
  TACIT_ASSIGN_OR_RETURN(const Curve curve, renyi::curve_of(cost));
  const double left = delta_left(curve, delta);
  if (left == 0) return RdpEpsilon{.epsilon = kInfinity, .order = 0};
  const renyi::Minimum best = renyi::minimize_over_orders(
      [&](double order) { return rdp_to_epsilon(curve.at(order), order, left); }, landmarks(curve));
  return RdpEpsilon{.epsilon = best.value, .order = best.order};
}

Result<double> rdp_delta(const Cost& cost, double epsilon) {
  if (!(epsilon >= 0 && epsilon < kInfinity)) {
    return bad_input(fmt::format("epsilon {} is not a number of at least 0", epsilon), "epsilon",
                     "give a number such as 1");
  }
  TACIT_ASSIGN_OR_RETURN(const Curve curve, renyi::curve_of(cost));
  const renyi::Minimum best = renyi::minimize_over_orders(
      [&](double order) {
        const double rdp = curve.at(order);
        return std::min(log_delta(rdp, order, epsilon), std::log(total_variation(rdp)));
      },
      landmarks(curve));
  const double converted = rdp_to_delta(curve.at(best.order), best.order, epsilon);
  return std::min(1.0, renyi::sum_up(curve.delta().upper(), converted));
}

Result<RenyiBound> log_moments(const Cost& cost, std::span<const double> lambdas) {
  std::vector<double> orders;
  orders.reserve(lambdas.size());
  for (const double lambda : lambdas) {
    if (!(lambda > 0 && lambda < kInfinity)) {
      return bad_input(fmt::format("lambda {} is not a number above 0", lambda), "lambdas",
                       "give numbers such as 1, 8 and 32");
    }
    orders.push_back(up(1 + lambda, 1));
  }
  TACIT_ASSIGN_OR_RETURN(RenyiBound bound, renyi_bound(cost, orders));
  for (std::size_t i = 0; i < lambdas.size(); ++i) {
    bound.epsilons[i] = renyi::product_up(lambdas[i], bound.epsilons[i]);
  }
  return bound;
}

double rdp_to_epsilon(double rdp, double order, double delta) {
  if (total_variation(rdp) <= delta) return 0;
  const double share = std::log1p(-1 / order);
  const double tail = (std::log(delta) + std::log(order)) / (order - 1);
  const double epsilon = rdp + share - tail;
  const double size = rdp - share + (std::log(order) - std::log(delta)) / (order - 1);
  return std::max(0.0, epsilon + 16 * kUnit * size);
}

double rdp_to_delta(double rdp, double order, double epsilon) {
  return std::min(total_variation(rdp), up(std::exp(log_delta(rdp, order, epsilon)), 8));
}

double rdp_to_epsilon_classic(double rdp, double order, double delta) {
  return up(rdp - std::log(delta) / (order - 1), 8);
}

double moments_to_epsilon(double log_moment, double lambda, double delta) {
  return up((log_moment - std::log(delta)) / lambda, 8);
}

double moments_to_delta(double log_moment, double lambda, double epsilon) {
  const double spent = lambda * epsilon;
  const double exponent = (log_moment - spent) + 8 * kUnit * (log_moment + spent);
  return std::min(1.0, up(std::exp(exponent), 8));
}

}  // namespace tacit
