#include "tacit/privacy/gaussian_dp.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "tacit/privacy/accountant_search_internal.h"
#include "tacit/privacy/cost_fields_internal.h"
#include "tacit/privacy/enclosure_internal.h"
#include "tacit/privacy/events_internal.h"
#include "tacit/privacy/pure_internal.h"

namespace tacit {
namespace {

// Squares of mu, above, since they are what adds up.
struct Squared {
  double mu_squared = 0;
  double delta = 0;
};

double above(const Enclosure& x) { return x.upper; }

// mu = 2 Phi^-1(e^epsilon / (1 + e^epsilon)): the least x with P[N > x / 2] <= 1 / (1 + e^epsilon).
double mu_of_pure(double epsilon) {
  if (epsilon == 0) return 0;
  const Enclosure error = Enclosure(1) / (Enclosure(1) + exp(Enclosure(epsilon)));
  const auto half = least_where([&](double x) { return normal_tail(x).upper <= error.lower; });
  return half ? 2 * *half : rounding::kInfinity;
}

class GaussianVisitor {
 public:
  explicit GaussianVisitor(Rational group) : group_(std::move(group)) {}

  Result<Squared> operator()(const cost::Gaussian& n) const {
    const Rational mu = group_ / n.noise_multiplier;
    return Squared{(mu * mu).upper(), 0};
  }
  Result<Squared> operator()(const cost::Approximate& n) const {
    return approximate(n.epsilon, n.delta);
  }
  Result<Squared> operator()(const cost::PartitionSelection& n) const {
    return approximate(n.epsilon, n.delta);
  }
  Result<Squared> operator()(const cost::DiscreteGaussian&) const {
    return refuse("discrete_gaussian", "discrete Gaussian noise is not Gaussian: no mu is proved");
  }
  Result<Squared> operator()(const cost::Zcdp&) const {
    return refuse("zcdp", "a zero-concentrated guarantee gives no mu");
  }
  Result<Squared> operator()(const cost::Renyi&) const {
    return refuse("renyi", "a Rényi guarantee gives no mu");
  }
  Result<Squared> operator()(const cost::PoissonSample& n) const { return sample(n); }
  Result<Squared> operator()(const cost::FixedSizeSample& n) const { return sample(n); }

  Result<Squared> operator()(const cost::Compose& n) const {
    Squared sum;
    for (const Cost& part : n.parts) {
      TACIT_ASSIGN_OR_RETURN(const Squared bound, std::visit(*this, part.node()));
      sum = {above(Enclosure(sum.mu_squared) + bound.mu_squared), joined(sum.delta, bound.delta)};
    }
    return sum;
  }
  Result<Squared> operator()(const cost::Repeat& n) const {
    TACIT_ASSIGN_OR_RETURN(const Squared bound, std::visit(*this, n.part->node()));
    const Rational times = integer(n.times);
    return Squared{above(Enclosure(times) * bound.mu_squared), repeated(bound.delta, times)};
  }
  // As for pure epsilon (pure.h): the largest part, or the two largest composed.
  Result<Squared> operator()(const cost::Parallel& n) const {
    Squared largest;
    Squared second;
    for (const Cost& part : n.parts) {
      TACIT_ASSIGN_OR_RETURN(const Squared bound, std::visit(*this, part.node()));
      second = {std::max(second.mu_squared, std::min(bound.mu_squared, largest.mu_squared)),
                std::max(second.delta, std::min(bound.delta, largest.delta))};
      largest = {std::max(largest.mu_squared, bound.mu_squared),
                 std::max(largest.delta, bound.delta)};
    }
    if (n.parts.front().neighbours() == Neighbours::kAddRemove) return largest;
    return Squared{above(Enclosure(largest.mu_squared) + second.mu_squared),
                   joined(largest.delta, second.delta)};
  }
  Result<Squared> operator()(const cost::Group& n) const {
    return std::visit(GaussianVisitor(group_ * integer(n.size)), n.part->node());
  }
  Result<Squared> operator()(const cost::AsReplace& n) const {
    return std::visit(GaussianVisitor(group_ * Rational(2)), n.part->node());
  }

  // All other leaves have a pure epsilon.
  template <class Leaf>
  Result<Squared> operator()(const Leaf& leaf) const {
    TACIT_ASSIGN_OR_RETURN(const Rational epsilon, pure_epsilon_of(cost::Node(leaf)));
    return approximate(epsilon, 0);
  }

 private:
  static std::unexpected<Error> refuse(std::string_view type, std::string why) {
    return bad_input(std::move(why), "gdp accountant: " + std::string(type),
                     "ask the rdp or the pld accountant");
  }

  // 1 - (1 - a)(1 - b) and its n-fold form, above.
  static double joined(double a, double b) {
    return std::min(1.0, above(Enclosure(a) + Enclosure(b) * (Enclosure(1) - a)));
  }
  static double repeated(double delta, const Rational& times) {
    if (delta == 0) return 0;
    return std::min(1.0, above(-expm1(Enclosure(times) * log1p(-Enclosure(delta)))));
  }

  [[nodiscard]] Result<Squared> approximate(const Rational& epsilon, const Rational& delta) const {
    const ApproximateEvent event = approximate_group(epsilon, delta, group_);
    const double mu = mu_of_pure(event.epsilon.upper());
    return Squared{above(square(mu)), event.delta.upper()};
  }

  template <class Sample>
  [[nodiscard]] Result<Squared> sample(const Sample& n) const {
    const auto epsilon = pure_epsilon_of(cost::Node(n));
    if (epsilon) return approximate(*epsilon, 0);
    return refuse(cost::kType<Sample>,
                  "a sample has no proved mu: its central limit theorem is no bound");
  }

  Rational group_;
};

}  // namespace

Result<GaussianBound> gaussian_bound(const Cost& cost) {
  TACIT_ASSIGN_OR_RETURN(const Squared bound, std::visit(GaussianVisitor(1), cost.node()));
  return GaussianBound{above(sqrt(Enclosure(bound.mu_squared))), bound.delta};
}

double gaussian_delta(double mu, double epsilon) {
  if (mu == 0) return 0;
  if (std::isinf(mu)) return 1;
  // With a = epsilon/mu - mu/2 and b = a + mu, e^epsilon P[N > b] = density(a) mills(b).
  const Enclosure ratio = Enclosure(epsilon) / mu;
  const Enclosure a = ratio - Enclosure(mu) / 2;
  const Enclosure b = ratio + Enclosure(mu) / 2;
  const Enclosure delta = normal_tail(a) - normal_density(a) * mills_ratio(b);
  return std::clamp(delta.upper, 0.0, 1.0);
}

double gaussian_epsilon(double mu, double delta) { return gaussian_epsilon({mu, 0}, delta); }

double gaussian_delta(const GaussianBound& bound, double epsilon) {
  const double delta = gaussian_delta(bound.mu, epsilon);
  if (bound.delta == 0) return delta;
  return std::min(1.0,
                  (Enclosure(bound.delta) + Enclosure(delta) * (Enclosure(1) - bound.delta)).upper);
}

double gaussian_epsilon(const GaussianBound& bound, double delta) {
  if (std::isinf(bound.mu) || bound.delta >= delta) {
    return bound.mu == 0 && bound.delta <= delta ? 0 : rounding::kInfinity;
  }
  return least_where([&](double epsilon) { return gaussian_delta(bound, epsilon) <= delta; })
      .value_or(rounding::kInfinity);
}

double gaussian_trade_off(double mu, double type_one) {
  if (type_one >= 1) return 0;
  if (type_one <= 0) return 1;
  // The threshold x with P[N > x] = type_one, from below; the test misses when N + mu <= x.
  double below = -40;
  double over = 40;
  while (over - below > 1e-14 * std::max(1.0, std::abs(over))) {
    const double middle = below + (over - below) / 2;
    if (middle <= below || middle >= over) break;
    (normal_tail(middle).lower >= type_one ? below : over) = middle;
  }
  return std::max(0.0, normal_tail(Enclosure(mu) - below).lower);
}

double approximate_trade_off(double epsilon, double delta, double type_one) {
  const Enclosure kept = Enclosure(1) - delta;
  const double steep = (kept - exp(Enclosure(epsilon)) * type_one).lower;
  const double flat = (exp(-Enclosure(epsilon)) * (kept - type_one)).lower;
  return std::max({0.0, steep, flat});
}

Result<double> analytic_gaussian_multiplier(double epsilon, double delta) {
  if (!(epsilon >= 0) || !std::isfinite(epsilon)) {
    return bad_input("epsilon must be at least 0 and finite", "epsilon", "give a number such as 1");
  }
  if (!(delta > 0 && delta < 1)) {
    return bad_input("delta must lie between 0 and 1", "delta", "give a number such as 1e-5");
  }
  const auto multiplier = least_where([&](double m) {
    return m > 0 && gaussian_delta((Enclosure(1) / m).upper, epsilon) <= delta;
  });
  if (!multiplier) {
    return bad_input("no noise multiplier below 2^200 meets the target", "delta",
                     "ask for a larger delta or epsilon");
  }
  return *multiplier;
}

}  // namespace tacit
