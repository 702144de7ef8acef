#include "tacit/privacy/zcdp.h"

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

class ZcdpVisitor {
 public:
  explicit ZcdpVisitor(Rational group) : group_(std::move(group)) {}

  Result<ZcdpBound> operator()(const cost::Gaussian& n) const {
    return grouped(Rational(1) / (Rational(2) * n.noise_multiplier * n.noise_multiplier));
  }
  Result<ZcdpBound> operator()(const cost::DiscreteGaussian& n) const {
    return grouped(integer(n.squared_sensitivity) / (Rational(2) * n.variance));
  }
  Result<ZcdpBound> operator()(const cost::Exponential& n) const {
    return grouped(n.epsilon * n.epsilon / Rational(8));
  }
  // Noise for one unit is noise of a smaller multiplier for a group of them.
  Result<ZcdpBound> operator()(const cost::Laplace& n) const {
    return ZcdpBound{laplace_rho(group_ / n.noise_multiplier), 0};
  }
  Result<ZcdpBound> operator()(const cost::Zcdp& n) const {
    if (n.delta.sign() > 0 && group_ > 1) {
      return refuse("zcdp",
                    "nothing is proved for a group under approximate zero-concentrated privacy");
    }
    const Rational rho = n.rho * group_ * group_;
    return ZcdpBound{rho, n.delta};
  }
  Result<ZcdpBound> operator()(const cost::Approximate& n) const {
    return approximate(n.epsilon, n.delta);
  }
  Result<ZcdpBound> operator()(const cost::PartitionSelection& n) const {
    return approximate(n.epsilon, n.delta);
  }
  Result<ZcdpBound> operator()(const cost::Renyi&) const {
    return refuse("renyi", "a Rényi guarantee at some orders gives no rho, which needs all");
  }
  Result<ZcdpBound> operator()(const cost::PoissonSample& n) const { return sample(n); }
  Result<ZcdpBound> operator()(const cost::FixedSizeSample& n) const { return sample(n); }

  Result<ZcdpBound> operator()(const cost::Compose& n) const {
    ZcdpBound sum;
    for (const Cost& part : n.parts) {
      TACIT_ASSIGN_OR_RETURN(const ZcdpBound bound, std::visit(*this, part.node()));
      sum = {sum.rho + bound.rho, sum.delta + bound.delta};
    }
    return sum;
  }
  Result<ZcdpBound> operator()(const cost::Repeat& n) const {
    TACIT_ASSIGN_OR_RETURN(const ZcdpBound bound, std::visit(*this, n.part->node()));
    const Rational times = integer(n.times);
    return ZcdpBound{times * bound.rho, times * bound.delta};
  }
  Result<ZcdpBound> operator()(const cost::Parallel& n) const {
    ZcdpBound largest;
    ZcdpBound second;
    for (const Cost& part : n.parts) {
      TACIT_ASSIGN_OR_RETURN(const ZcdpBound bound, std::visit(*this, part.node()));
      second = {std::max(second.rho, std::min(bound.rho, largest.rho)),
                std::max(second.delta, std::min(bound.delta, largest.delta))};
      largest = {std::max(largest.rho, bound.rho), std::max(largest.delta, bound.delta)};
    }
    if (n.parts.front().neighbours() == Neighbours::kAddRemove) return largest;
    return ZcdpBound{largest.rho + second.rho, largest.delta + second.delta};
  }
  Result<ZcdpBound> operator()(const cost::Group& n) const {
    return std::visit(ZcdpVisitor(group_ * integer(n.size)), n.part->node());
  }
  Result<ZcdpBound> operator()(const cost::AsReplace& n) const {
    return std::visit(ZcdpVisitor(group_ * Rational(2)), n.part->node());
  }

  // All other leaves have a pure epsilon.
  template <class Leaf>
  Result<ZcdpBound> operator()(const Leaf& leaf) const {
    TACIT_ASSIGN_OR_RETURN(const Rational epsilon, pure_epsilon_of(cost::Node(leaf)));
    return approximate(epsilon, 0);
  }

 private:
  // epsilon + e^-epsilon - 1 (Harrison, Manurangsi 2025), rounded up; or epsilon^2 / 2, as for all
  // that has a pure epsilon, where rounding would lose more than that.
  static Rational laplace_rho(const Rational& epsilon) {
    const Rational pure = epsilon * epsilon / Rational(2);
    const Enclosure wide{epsilon.lower(), epsilon.upper()};
    const Result<Rational> exact = Rational::exactly((wide + expm1(-wide)).upper);
    return exact ? std::min(pure, *exact) : pure;
  }

  static std::unexpected<Error> refuse(std::string_view type, std::string why) {
    return bad_input(std::move(why), "zcdp accountant: " + std::string(type),
                     "ask the rdp or the pld accountant");
  }

  [[nodiscard]] ZcdpBound grouped(const Rational& rho) const { return {rho * group_ * group_, 0}; }

  [[nodiscard]] ZcdpBound approximate(const Rational& epsilon, const Rational& delta) const {
    const ApproximateEvent event = approximate_group(epsilon, delta, group_);
    return {event.epsilon * event.epsilon / Rational(2), event.delta};
  }

  template <class Sample>
  [[nodiscard]] Result<ZcdpBound> sample(const Sample& n) const {
    if (const auto epsilon = pure_epsilon_of(cost::Node(n))) return approximate(*epsilon, 0);
    return refuse(cost::kType<Sample>,
                  "sampling does not amplify zCDP (but for what has a pure epsilon)");
  }

  Rational group_;
};

// The derivative of log delta in alpha, (2 alpha - 1) rho - epsilon + ln(1 - 1/alpha), rises; its
// root is the best order. Any other order gives a true bound too.
double best_order(double rho, double epsilon) {
  const auto excess = least_where(
      [&](double beyond_one) {
        return beyond_one > 0 &&
               (2 * beyond_one + 1) * rho - epsilon + std::log(beyond_one / (1 + beyond_one)) >= 0;
      },
      1e-12);
  return excess.value_or(0x1p200);
}

}  // namespace

Result<ZcdpBound> zcdp_bound(const Cost& cost) { return std::visit(ZcdpVisitor(1), cost.node()); }

double zcdp_delta(double rho, double epsilon) {
  if (rho == 0) return 0;
  if (std::isinf(rho)) return 1;
  const Enclosure excess = best_order(rho, epsilon);  // alpha - 1
  const Enclosure alpha = excess + 1;
  const Enclosure log_delta =
      excess * (alpha * rho - epsilon) + alpha * (log(excess) - log1p(excess)) - log(excess);
  return std::min(1.0, exp(log_delta).upper);
}

double zcdp_epsilon(double rho, double delta) {
  if (rho == 0) return 0;
  if (std::isinf(rho)) return rounding::kInfinity;
  return least_where([&](double epsilon) { return zcdp_delta(rho, epsilon) <= delta; })
      .value_or(rounding::kInfinity);
}

double zcdp_epsilon_classic(double rho, double delta) {
  return (Enclosure(rho) + Enclosure(2) * sqrt(Enclosure(rho) * -log(Enclosure(delta)))).upper;
}

double zcdp_delta(const ZcdpBound& bound, double epsilon) {
  const double delta = zcdp_delta(bound.rho.upper(), epsilon);
  if (bound.delta.sign() == 0) return delta;
  return std::min(1.0, (Enclosure(bound.delta) + delta).upper);
}

double zcdp_epsilon(const ZcdpBound& bound, double delta) {
  if (bound.delta.sign() == 0) return zcdp_epsilon(bound.rho.upper(), delta);
  const double left = (Enclosure(delta) - Enclosure(bound.delta)).lower;
  if (left <= 0) {
    return bound.rho.sign() == 0 && bound.delta <= Rational::exactly(delta).value()
               ? 0
               : rounding::kInfinity;
  }
  return zcdp_epsilon(bound.rho.upper(), left);
}

}  // namespace tacit
