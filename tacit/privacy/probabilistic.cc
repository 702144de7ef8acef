#include "tacit/privacy/probabilistic.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "tacit/privacy/accountant_search_internal.h"
#include "tacit/privacy/cost_fields_internal.h"
#include "tacit/privacy/enclosure_internal.h"
#include "tacit/privacy/pure_internal.h"
#include "tacit/privacy/zcdp.h"

namespace tacit {
namespace {

// A cost whose loss is at most `pure` plus that of Gaussian noise with the given sum of squares.
struct Loss {
  Rational pure;
  Rational mu_squared;
  Rational gaussians;  // how many; one alone leaves nothing to adapt
};

// Reads a cost as such a loss, or as nothing.
class LossVisitor {
 public:
  explicit LossVisitor(Rational group) : group_(std::move(group)) {}

  std::optional<Loss> operator()(const cost::Gaussian& n) const {
    const Rational mu = group_ / n.noise_multiplier;
    return Loss{0, mu * mu, 1};
  }
  std::optional<Loss> operator()(const cost::Compose& n) const {
    Loss sum;
    for (const Cost& part : n.parts) {
      const auto loss = std::visit(*this, part.node());
      if (!loss) return std::nullopt;
      sum = {sum.pure + loss->pure, sum.mu_squared + loss->mu_squared,
             sum.gaussians + loss->gaussians};
    }
    return sum;
  }
  std::optional<Loss> operator()(const cost::Repeat& n) const {
    const auto loss = std::visit(*this, n.part->node());
    if (!loss) return std::nullopt;
    const Rational times = integer(n.times);
    return Loss{times * loss->pure, times * loss->mu_squared, times * loss->gaussians};
  }
  // The loss of a group is the loss between two datasets that differ in all its units.
  std::optional<Loss> operator()(const cost::Group& n) const {
    return std::visit(LossVisitor(group_ * integer(n.size)), n.part->node());
  }
  std::optional<Loss> operator()(const cost::AsReplace& n) const {
    return std::visit(LossVisitor(group_ * Rational(2)), n.part->node());
  }
  // Disjoint parts are left to what has a pure epsilon; elsewhere zCDP bounds the loss.
  template <class Node>
  std::optional<Loss> operator()(const Node& node) const {
    const auto epsilon = pure_epsilon_of(cost::Node(node));
    if (!epsilon) return std::nullopt;
    return Loss{group_ * *epsilon, 0, 0};
  }

 private:
  Rational group_;
};

double gaussian_tail(const Loss& loss, const Enclosure& epsilon) {
  const Enclosure mu = sqrt(Enclosure(loss.mu_squared));
  const Enclosure ratio = epsilon / mu;
  const Enclosure a = ratio - mu / 2;
  Enclosure delta = normal_tail(a);
  if (loss.gaussians > 1) delta = delta + normal_density(a) * mills_ratio(ratio + mu / 2);
  return std::min(1.0, delta.upper);
}

double delta_of(const Loss& loss, double epsilon) {
  const Rational beyond = Rational::exactly(epsilon).value() - loss.pure;
  if (loss.mu_squared.sign() == 0) return beyond.sign() >= 0 ? 0 : 1;
  return beyond.sign() > 0 ? gaussian_tail(loss, Enclosure(beyond)) : 1;
}

double concentrated_delta(const ZcdpBound& bound, double epsilon) {
  const Enclosure rho(bound.rho);
  const double beyond = (Enclosure(epsilon) - rho).lower;
  if (bound.rho.sign() == 0) return 0;
  if (!(beyond > 0)) return 1;
  return std::min(1.0, exp(-(square(Enclosure(beyond)) / (Enclosure(4) * rho.upper))).upper);
}

// Through (epsilon0, delta0)-DP: the best of a few epsilon0 below epsilon.
double approximate_delta(const ZcdpBound& bound, double epsilon) {
  double least = 1;
  for (int step = 1; step <= 64; ++step) {
    const double epsilon0 = epsilon * step / 65;
    least = std::min(
        least, probabilistic_from_approximate(epsilon0, zcdp_delta(bound, epsilon0), epsilon));
  }
  return least;
}

struct Bounds {
  std::optional<Loss> loss;
  std::optional<ZcdpBound> zcdp;

  [[nodiscard]] double delta(double epsilon) const {
    double least = loss ? delta_of(*loss, epsilon) : 1;
    if (!zcdp) return least;
    least = std::min(least, zcdp->delta.sign() == 0 ? concentrated_delta(*zcdp, epsilon)
                                                    : approximate_delta(*zcdp, epsilon));
    return least;
  }
};

Result<Bounds> bounds(const Cost& cost) {
  Bounds found;
  found.loss = std::visit(LossVisitor(1), cost.node());
  auto zcdp = zcdp_bound(cost);
  if (zcdp) found.zcdp = *zcdp;
  if (found.loss || found.zcdp) return found;
  zcdp.error().what = "no tail of the loss is proved: " + zcdp.error().what;
  return std::unexpected(std::move(zcdp).error());
}

}  // namespace

double probabilistic_from_approximate(double epsilon0, double delta0, double epsilon) {
  if (delta0 == 0 && epsilon >= epsilon0) return 0;
  const Enclosure kept = -expm1(Enclosure(epsilon0) - epsilon);
  if (!(kept.lower > 0)) return 1;
  return std::min(1.0, (Enclosure(delta0) / kept).upper);
}

Result<double> probabilistic_delta(const Cost& cost, double epsilon) {
  TACIT_ASSIGN_OR_RETURN(const Bounds found, bounds(cost));
  return found.delta(epsilon);
}

Result<double> probabilistic_epsilon(const Cost& cost, double delta) {
  TACIT_ASSIGN_OR_RETURN(const Bounds found, bounds(cost));
  return least_where([&](double epsilon) { return found.delta(epsilon) <= delta; }, 1e-12)
      .value_or(rounding::kInfinity);
}

}  // namespace tacit
