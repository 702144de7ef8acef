#include "tacit/ledger/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "tacit/privacy/pure.h"
#include "tacit/privacy/rdp.h"

namespace tacit {
namespace {

// Divergences are kept to 12 places, so that a person can read them; deltas to all 30.
constexpr int kDivergencePlaces = 12;
// Beyond this order a subsampled mechanism takes too long to price.
constexpr double kLargestOrder = 100'000;
constexpr std::size_t kMostOrders = 64;
constexpr int kLargestEpsilon = 1'000'000;

Result<void> check_promise(const Rational& epsilon, const Rational& delta) {
  if (epsilon.sign() <= 0 || epsilon > Rational(kLargestEpsilon)) {
    return bad_input(
        "a budget's epsilon must be above 0 and at most 1000000, not " + epsilon.to_string(),
        "epsilon", "a common choice is 1");
  }
  if (delta.sign() < 0 || delta >= Rational(1)) {
    return bad_input("a budget's delta must be at least 0 and below 1, not " + delta.to_string(),
                     "delta", "a common choice is 1e-6, well below one over the number of people");
  }
  return {};
}

Result<void> check_reserve(const Rational& delta, const Rational& reserve) {
  if (delta.sign() <= 0) {
    return bad_input("an (epsilon, delta) budget needs a delta above 0", "delta",
                     "leave delta out for a pure budget");
  }
  if (reserve.sign() < 0 || reserve >= delta) {
    return bad_input(
        "the delta reserve must be at least 0 and below delta, not " + reserve.to_string(),
        "delta_reserve", "what is left of delta pays for the conversion to epsilon");
  }
  return {};
}

Result<void> check_orders(const std::vector<double>& orders) {
  if (orders.empty() || orders.size() > kMostOrders) {
    return bad_input(
        fmt::format("a budget curve has 1 to {} orders, not {}", kMostOrders, orders.size()),
        "curve");
  }
  double before = 1;
  for (const double order : orders) {
    if (!(order > before) || !(order <= kLargestOrder)) {
      return bad_input(fmt::format("Rényi orders must ascend, above 1 and up to {}; {} does not",
                                   kLargestOrder, order),
                       "curve");
    }
    before = order;
  }
  return {};
}

// The largest divergence at `order` that converts to epsilon at `delta`, nearly: the conversion of
// Canonne, Kamath and Steinke (2020, Proposition 12) solved for the divergence.
double largest_divergence(double order, double epsilon, double delta) {
  return epsilon + (std::log(delta) + std::log(order)) / (order - 1) - std::log1p(-1 / order);
}

// The order at which the line rho * order touches the largest divergences from below. There the
// largest zero-concentrated budget rho converts to (epsilon, delta), so Gaussian noise wastes
// nothing. The quotient has one peak in the logarithm of the order; golden section finds it.
double touching_order(double epsilon, double delta) {
  const auto rho = [&](double logarithm) {
    const double order = 1 + std::exp(logarithm);
    return largest_divergence(order, epsilon, delta) / order;
  };
  constexpr double kGolden = 0.6180339887498949;
  double low = std::log(1e-3);
  double high = std::log(kLargestOrder - 1);
  for (int i = 0; i < 100; ++i) {
    const double left = high - kGolden * (high - low);
    const double right = low + kGolden * (high - low);
    (rho(left) < rho(right) ? low : high) = rho(left) < rho(right) ? left : right;
  }
  const double order = 1 + std::exp((low + high) / 2);
  // The peak is flat: an order of three digits, which people can read, loses less than 1e-4.
  if (order >= 100) return std::round(order);
  if (order >= 10) return std::round(order * 10) / 10;
  return order >= 2 ? std::round(order * 100) / 100 : order;
}

// A little below largest_divergence, so that rounding on another machine cannot undo the promise.
Result<Rational> safe_divergence(double order, const Rational& epsilon, const Rational& delta) {
  const double largest = largest_divergence(order, epsilon.lower(), delta.lower());
  return Rational::exactly(largest * (1 - 1e-11) - 1e-12);
}

Result<Amount> exact_amount(double value, int places) {
  TACIT_ASSIGN_OR_RETURN(const Rational exact, Rational::exactly(value));
  return Amount::round_up(exact, places);
}

}  // namespace

Result<Spend> Spend::plus(const Spend& other) const {
  Spend sum = *this;
  for (std::size_t i = 0; i < sum.divergences.size(); ++i) {
    TACIT_ASSIGN_OR_RETURN(sum.divergences[i], sum.divergences[i].plus(other.divergences[i]));
  }
  TACIT_ASSIGN_OR_RETURN(sum.delta, sum.delta.plus(other.delta));
  return sum;
}

Spend Spend::less(const Spend& other) const {
  Spend rest = *this;
  for (std::size_t i = 0; i < rest.divergences.size(); ++i) {
    rest.divergences[i] = rest.divergences[i].less(other.divergences[i]);
  }
  rest.delta = rest.delta.less(other.delta);
  return rest;
}

Spend Spend::largest(const Spend& other) const {
  Spend largest = *this;
  for (std::size_t i = 0; i < largest.divergences.size(); ++i) {
    largest.divergences[i] = std::max(largest.divergences[i], other.divergences[i]);
  }
  largest.delta = std::max(largest.delta, other.delta);
  return largest;
}

bool Spend::fits(const Spend& cap) const {
  return delta <= cap.delta && std::ranges::equal(divergences, cap.divergences, std::less_equal{});
}

Result<Budget> Budget::pure(const Rational& epsilon) {
  TACIT_RETURN_IF_ERROR(check_promise(epsilon, 0));
  Budget budget;
  budget.epsilon_ = epsilon;
  TACIT_ASSIGN_OR_RETURN(const Amount cap, Amount::round_down(epsilon, kDivergencePlaces));
  budget.cap_.divergences = {cap};
  return budget;
}

Result<Budget> Budget::approximate(const Rational& epsilon, const Rational& delta,
                                   const std::optional<Rational>& delta_reserve) {
  TACIT_RETURN_IF_ERROR(check_promise(epsilon, delta));
  const Rational reserve = delta_reserve.value_or(delta / Rational(2));
  TACIT_RETURN_IF_ERROR(check_reserve(delta, reserve));
  const Rational conversion = delta - reserve;
  const double order = touching_order(epsilon.lower(), conversion.lower());
  TACIT_ASSIGN_OR_RETURN(const Rational cap, safe_divergence(order, epsilon, conversion));
  if (cap.sign() <= 0) {
    return bad_input(fmt::format("epsilon {} is too small to be kept with a delta of {}",
                                 epsilon.to_string(), delta.to_string()),
                     "epsilon", "use a pure budget, or a larger delta");
  }
  return with_curve(epsilon, delta, reserve, {{order, cap}});
}

Result<Budget> Budget::at_orders(const Rational& epsilon, const Rational& delta,
                                 const std::optional<Rational>& delta_reserve,
                                 const std::vector<double>& orders) {
  TACIT_RETURN_IF_ERROR(check_promise(epsilon, delta));
  const Rational reserve = delta_reserve.value_or(delta / Rational(2));
  TACIT_RETURN_IF_ERROR(check_reserve(delta, reserve));
  TACIT_RETURN_IF_ERROR(check_orders(orders));
  std::vector<CurvePoint> curve;
  for (const double order : orders) {
    TACIT_ASSIGN_OR_RETURN(const Rational cap, safe_divergence(order, epsilon, delta - reserve));
    if (cap.sign() <= 0) {
      return bad_input(fmt::format("no divergence at Rényi order {} converts to epsilon {}", order,
                                   epsilon.to_string()),
                       "orders", "name a higher order, or leave it out");
    }
    curve.push_back({order, cap});
  }
  return with_curve(epsilon, delta, reserve, curve);
}

Result<Budget> Budget::with_curve(const Rational& epsilon, const Rational& delta,
                                  const Rational& delta_reserve,
                                  const std::vector<CurvePoint>& curve) {
  TACIT_RETURN_IF_ERROR(check_reserve(delta, delta_reserve));
  Budget budget;
  budget.epsilon_ = epsilon;
  budget.delta_ = delta;
  TACIT_ASSIGN_OR_RETURN(budget.cap_.delta, Amount::round_down(delta_reserve));
  for (const CurvePoint& point : curve) {
    budget.orders_.push_back(point.order);
    TACIT_ASSIGN_OR_RETURN(const Amount cap, Amount::round_down(point.cap, kDivergencePlaces));
    budget.cap_.divergences.push_back(cap);
  }
  TACIT_RETURN_IF_ERROR(budget.check_shape());
  if (budget.epsilon_if_stopping_was_fixed(budget.cap_) > epsilon.lower()) {
    return bad_input("no order of the curve converts to the promised epsilon and delta", "curve",
                     "lower a cap of the curve, or the delta reserve");
  }
  return budget;
}

Result<void> Budget::check_shape() const {
  TACIT_RETURN_IF_ERROR(check_promise(epsilon_, delta_));
  TACIT_RETURN_IF_ERROR(check_reserve(delta_, cap_.delta.to_rational()));
  TACIT_RETURN_IF_ERROR(check_orders(orders_));
  if (std::ranges::any_of(cap_.divergences, &Amount::is_zero)) {
    return bad_input("a cap of the curve is 0, or below the 12 places that are kept", "curve",
                     "leave that order out");
  }
  return {};
}

Rational Budget::conversion_delta() const { return delta_ - cap_.delta.to_rational(); }

bool Budget::keeps_its_promise() const {
  if (is_pure()) return cap_.divergences.front().to_rational() <= epsilon_;
  return epsilon_if_stopping_was_fixed(cap_) <= epsilon_.upper() * (1 + 1e-9);
}

Spend Budget::zero() const {
  Spend nothing;
  nothing.divergences.resize(cap_.divergences.size());
  return nothing;
}

Result<Spend> Budget::price(const Cost& cost) const {
  Spend charge = zero();
  if (is_pure()) {
    TACIT_ASSIGN_OR_RETURN(const Rational epsilon, pure_epsilon(cost));
    TACIT_ASSIGN_OR_RETURN(charge.divergences.front(),
                           Amount::round_up(epsilon, kDivergencePlaces));
    return charge;
  }
  TACIT_ASSIGN_OR_RETURN(const RenyiBound bound, renyi_bound(cost, orders_));
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    if (!std::isfinite(bound.epsilons[i])) {
      return bad_input(
          fmt::format("nothing finite is proved of this cost at Rényi order {}, which the account "
                      "tracks",
                      orders_[i]),
          cost.to_text(), "give a cost that says more, or use an account with other orders");
    }
    TACIT_ASSIGN_OR_RETURN(charge.divergences[i],
                           exact_amount(bound.epsilons[i], kDivergencePlaces));
  }
  TACIT_ASSIGN_OR_RETURN(charge.delta, Amount::round_up(bound.delta, Amount::kPlaces));
  return charge;
}

Result<Budget> Budget::raised_to(const Rational& epsilon, const Rational& delta) const {
  if (epsilon < epsilon_ || delta < delta_) {
    return bad_input(fmt::format("a cap can only be raised: it is {}", to_text()), "grant",
                     "name an epsilon and a delta that are not below");
  }
  if (is_pure()) {
    if (delta.sign() != 0) {
      return bad_input("a pure account has no delta, and its currency is fixed", "delta",
                       "open a new account for an (epsilon, delta) budget");
    }
    return pure(epsilon);
  }
  TACIT_RETURN_IF_ERROR(check_promise(epsilon, delta));
  const Rational reserve = cap_.delta.to_rational() * delta / delta_;
  Rational factor = 1;
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    TACIT_ASSIGN_OR_RETURN(const Rational largest,
                           safe_divergence(orders_[i], epsilon, delta - reserve));
    factor = std::max(factor, largest / cap_.divergences[i].to_rational());
  }
  std::vector<CurvePoint> curve;
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    curve.push_back({orders_[i], cap_.divergences[i].to_rational() * factor});
  }
  return with_curve(epsilon, delta, reserve, curve);
}

double Budget::epsilon_if_stopping_was_fixed(const Spend& spent) const {
  if (is_pure()) return spent.divergences.front().to_rational().upper();
  if (spent == zero()) return 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    least = std::min(least, rdp_to_epsilon(spent.divergences[i].to_rational().upper(), orders_[i],
                                           conversion_delta().lower()));
  }
  return least;
}

std::string Budget::to_text() const {
  if (is_pure()) return fmt::format("epsilon {}", epsilon_.to_string());
  std::string curve;
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    curve += fmt::format("{}Rényi order {} up to {:.6g}", i == 0 ? "" : ", ", orders_[i],
                         cap_.divergences[i].to_rational().approximate());
  }
  return fmt::format("epsilon {}, delta {:g} ({}; delta reserve {:g})", epsilon_.to_string(),
                     delta_.approximate(), curve, cap_.delta.to_rational().approximate());
}

}  // namespace tacit
