#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tacit/privacy/cost_fields_internal.h"
#include "tacit/privacy/renyi_chain.h"
#include "tacit/privacy/renyi_curve_internal.h"
#include "tacit/privacy/renyi_leaves.h"
#include "tacit/privacy/renyi_rounding_internal.h"

namespace tacit::renyi {
namespace {

constexpr std::uint64_t kLargestGroup = std::uint64_t{1} << 32U;

// How far apart the two datasets are for which a node is priced.
struct Distance {
  std::uint64_t group = 1;  // units that differ
  bool as_replace = false;  // each is one removed and one added, where the part holds for
                            // add/remove
  Neighbours neighbours = Neighbours::kAddRemove;  // what the part holds for

  // Steps of the part's own relation between the two datasets.
  [[nodiscard]] std::uint64_t steps() const { return as_replace ? 2 * group : group; }
  [[nodiscard]] Rational rational() const { return static_cast<std::int64_t>(steps()); }
};

double plus(double a, double b) { return sum_up(a, b); }
Rational plus(const Rational& a, const Rational& b) { return a + b; }

// The sum of the `count` largest: of doubles rounded up, of rationals exact.
template <class Number>
Number sum_of_largest(std::vector<Number> values, std::uint64_t count) {
  const auto kept = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(count, values.size()));
  std::ranges::partial_sort(values, values.begin() + kept, std::greater<>());
  Number sum = 0;
  for (auto value = values.begin(); value != values.begin() + kept; ++value) {
    sum = plus(sum, *value);
  }
  return sum;
}

// What the `touched` costliest parts cost together, order by order and for delta.
Curve largest_parts(std::vector<Curve> parts, std::uint64_t touched) {
  std::vector<Rational> deltas;
  deltas.reserve(parts.size());
  for (const Curve& part : parts) deltas.push_back(part.delta());
  const Rational delta = std::min(Rational(1), sum_of_largest(std::move(deltas), touched));
  Divergence largest = [parts = std::move(parts), touched](double order) {
    std::vector<double> values;
    values.reserve(parts.size());
    for (const Curve& part : parts) values.push_back(part.at(order));
    return sum_of_largest(std::move(values), touched);
  };
  return Curve(std::move(largest), delta);
}

class CurveBuilder {
 public:
  explicit CurveBuilder(Distance distance) : distance_(distance) {}

  Result<Curve> operator()(const cost::Pure& leaf) const { return pure(leaf.epsilon); }
  Result<Curve> operator()(const cost::PermuteAndFlip& leaf) const { return pure(leaf.epsilon); }
  Result<Curve> operator()(const cost::SparseVector& leaf) const { return pure(leaf.epsilon); }
  Result<Curve> operator()(const cost::Approximate& leaf) const {
    return approximate(leaf.epsilon, leaf.delta);
  }
  Result<Curve> operator()(const cost::PartitionSelection& leaf) const {
    return approximate(leaf.epsilon, leaf.delta);
  }
  Result<Curve> operator()(const cost::Zcdp& leaf) const;
  Result<Curve> operator()(const cost::Renyi& leaf) const;
  Result<Curve> operator()(const cost::Laplace& leaf) const;
  Result<Curve> operator()(const cost::DiscreteLaplace& leaf) const;
  Result<Curve> operator()(const cost::Gaussian& leaf) const;
  Result<Curve> operator()(const cost::DiscreteGaussian& leaf) const;
  Result<Curve> operator()(const cost::RandomizedResponse& leaf) const;
  Result<Curve> operator()(const cost::Exponential& leaf) const;
  Result<Curve> operator()(const cost::NoneProved& leaf) const;
  Result<Curve> operator()(const cost::Compose& node) const;
  Result<Curve> operator()(const cost::Repeat& node) const;
  Result<Curve> operator()(const cost::Parallel& node) const;
  Result<Curve> operator()(const cost::PoissonSample& node) const;
  Result<Curve> operator()(const cost::FixedSizeSample& node) const;
  Result<Curve> operator()(const cost::Group& node) const;
  Result<Curve> operator()(const cost::AsReplace& node) const;

 private:
  [[nodiscard]] Curve pure(const Rational& epsilon) const {
    return Curve(PureLeaf{(epsilon * distance_.rational()).upper()});
  }
  [[nodiscard]] Curve approximate(const Rational& epsilon, const Rational& delta) const;
  [[nodiscard]] Rational squared_distance() const {
    return distance_.rational() * distance_.rational();
  }

  Distance distance_;
};

Result<Curve> curve_at(const Cost& cost, const Distance& distance) {
  return std::visit(CurveBuilder(distance), cost.node());
}

// Group privacy of (epsilon, delta)-DP: (n epsilon, delta (1 + e^epsilon + ... + e^((n-1)
// epsilon))).
Curve CurveBuilder::approximate(const Rational& epsilon, const Rational& delta) const {
  const double step = epsilon.upper();
  const auto steps = static_cast<double>(distance_.steps());
  const double growth =
      steps == 1  ? 1
      : step == 0 ? steps
                  : up(std::expm1(steps * step) / std::expm1(step), 16 + 4 * steps * step);
  // Growth beyond all doubles leaves nothing of a delta's promise.
  const auto factor = Rational::exactly(growth);
  const Rational total = delta.sign() == 0 ? 0 : factor ? delta * *factor : 1;
  return Curve(PureLeaf{(epsilon * distance_.rational()).upper()}, std::min(Rational(1), total));
}

Result<Curve> CurveBuilder::operator()(const cost::Zcdp& leaf) const {
  if (leaf.delta.sign() > 0 && distance_.steps() > 1) {
    return bad_input("nothing is proved of a group under approximate zCDP", "zcdp",
                     "price the mechanism itself, or keep groups to leaves with delta 0");
  }
  return Curve(ZcdpLeaf{(leaf.rho * squared_distance()).upper()}, leaf.delta);
}

Result<Curve> CurveBuilder::operator()(const cost::Renyi& leaf) const {
  std::vector<std::pair<double, double>> points;
  points.reserve(leaf.curve.size());
  for (const auto& [order, epsilon] : leaf.curve) {
    points.emplace_back(order.lower(), epsilon.upper());
  }
  std::vector<double> orders;
  orders.reserve(points.size());
  for (const auto& [order, epsilon] : points) orders.push_back(order);
  Divergence one = [points = std::move(points)](double order) { return of_points(points, order); };
  Curve curve(of_chain(std::move(one), distance_.steps()));
  curve.set_landmarks(std::move(orders));
  return curve;
}

Result<Curve> CurveBuilder::operator()(const cost::Laplace& leaf) const {
  return Curve(LaplaceLeaf{(leaf.noise_multiplier / distance_.rational()).lower()});
}

Result<Curve> CurveBuilder::operator()(const cost::DiscreteLaplace& leaf) const {
  const Rational moved = Rational(mpq_class(mpz_class(leaf.sensitivity))) * distance_.rational();
  return Curve(DiscreteLaplaceLeaf{leaf.scale.lower(), moved.upper()});
}

Result<Curve> CurveBuilder::operator()(const cost::Gaussian& leaf) const {
  const Rational twice_variance = Rational(2) * leaf.noise_multiplier * leaf.noise_multiplier;
  return Curve(GaussianLeaf{(squared_distance() / twice_variance).upper()});
}

Result<Curve> CurveBuilder::operator()(const cost::DiscreteGaussian& leaf) const {
  const Rational squared(mpq_class(mpz_class(leaf.squared_sensitivity)));
  return Curve(
      DiscreteGaussianLeaf{(squared * squared_distance() / (Rational(2) * leaf.variance)).upper()});
}

// Each of the units that differ gives its own answer, so a group is a composition.
Result<Curve> CurveBuilder::operator()(const cost::RandomizedResponse& leaf) const {
  const Rational lies(mpq_class(mpz_class(leaf.categories) - 1));
  const double odds = (leaf.truth * lies / (Rational(1) - leaf.truth)).upper();
  const double epsilon = odds <= 1 ? 0 : up(std::log(odds), 8);
  Curve curve(RandomizedResponseLeaf{static_cast<double>(leaf.categories), epsilon});
  curve.repeat(distance_.steps());
  return curve;
}

Result<Curve> CurveBuilder::operator()(const cost::Exponential& leaf) const {
  return Curve(BoundedRangeLeaf{(leaf.epsilon * distance_.rational()).upper()});
}

Result<Curve> CurveBuilder::operator()(const cost::NoneProved& leaf) const {
  return bad_input(fmt::format("a release has no proved guarantee ({})", leaf.reason),
                   "none_proved", "no accountant can price it; leave it out of the question");
}

Result<Curve> CurveBuilder::operator()(const cost::Compose& node) const {
  Curve total;
  for (const Cost& part : node.parts) {
    TACIT_ASSIGN_OR_RETURN(const Curve curve, curve_at(part, distance_));
    total.add(curve);
  }
  return total;
}

Result<Curve> CurveBuilder::operator()(const cost::Repeat& node) const {
  TACIT_ASSIGN_OR_RETURN(Curve curve, curve_at(*node.part, distance_));
  curve.repeat(node.times);
  return curve;
}

bool contains_group(const Cost& cost) {
  bool found = std::holds_alternative<cost::Group>(cost.node());
  cost::each_child(cost.node(), [&](const Cost& child) { found = found || contains_group(child); });
  return found;
}

Result<void> check_sample(const Cost& part, const Distance& distance, const std::string& where) {
  if (distance.group > 1) {
    return bad_input(
        "nothing is proved of a group over a subsample", where,
        "ask for one unit, or make the group the privacy unit and sample whole groups");
  }
  if (contains_group(part)) {
    return bad_input("nothing is proved of a subsample over a group", where,
                     "make the group the privacy unit and sample whole groups");
  }
  return {};
}

// Sampling twice is sampling once at the product of the rates, and each unit of a parallel part is
// sampled by its own coin, so sampling moves inside.
Result<Curve> sampled(const Rational& rate, const Cost& part) {
  if (const auto* inner = std::get_if<cost::PoissonSample>(&part.node())) {
    return sampled(rate * inner->rate, *inner->part);
  }
  if (const auto* inner = std::get_if<cost::Parallel>(&part.node())) {
    std::vector<Curve> curves;
    curves.reserve(inner->parts.size());
    for (const Cost& each : inner->parts) {
      TACIT_ASSIGN_OR_RETURN(Curve curve, sampled(rate, each));
      curves.push_back(std::move(curve));
    }
    return largest_parts(std::move(curves), 1);
  }
  TACIT_ASSIGN_OR_RETURN(const Curve curve, curve_at(part, Distance{}));
  return poisson_sampled(curve, rate.upper());
}

Result<Curve> CurveBuilder::operator()(const cost::PoissonSample& node) const {
  TACIT_RETURN_IF_ERROR(check_sample(*node.part, distance_, "poisson_sample"));
  TACIT_ASSIGN_OR_RETURN(Curve curve, sampled(node.rate, *node.part));
  if (!distance_.as_replace) return curve;
  if (curve.delta().sign() > 0) {
    return bad_input("nothing is proved of a subsample with a delta under replace neighbours",
                     "as_replace", "ask for add/remove neighbours");
  }
  return Curve(of_chain([curve](double order) { return curve.at(order); }, 2));
}

Result<Curve> CurveBuilder::operator()(const cost::FixedSizeSample& node) const {
  TACIT_RETURN_IF_ERROR(check_sample(*node.part, distance_, "fixed_size_sample"));
  TACIT_ASSIGN_OR_RETURN(const Curve curve,
                         curve_at(*node.part, Distance{.neighbours = Neighbours::kReplace}));
  const mpq_class rate(mpz_class(node.size), mpz_class(node.population));
  return fixed_size_sampled(curve, Rational(rate).upper());
}

Result<Curve> CurveBuilder::operator()(const cost::Group& node) const {
  if (node.size > kLargestGroup / distance_.group) {
    return bad_input(fmt::format("a group of more than {} units", kLargestGroup), "group.size",
                     "a guarantee for so many says nothing; give the size of a family");
  }
  Distance wider = distance_;
  wider.group *= node.size;
  return curve_at(*node.part, wider);
}

Result<Curve> CurveBuilder::operator()(const cost::AsReplace& node) const {
  Distance wider = distance_;
  wider.as_replace = true;
  wider.neighbours = Neighbours::kAddRemove;
  return curve_at(*node.part, wider);
}

Result<std::vector<Curve>> curves_at(const std::vector<Cost>& parts, const Distance& distance) {
  std::vector<Curve> curves;
  curves.reserve(parts.size());
  for (const Cost& part : parts) {
    TACIT_ASSIGN_OR_RETURN(Curve curve, curve_at(part, distance));
    curves.push_back(std::move(curve));
  }
  return curves;
}

// Each step of add/remove touches one part, each step of replace at most two, and a part that is
// touched differs by at most all the steps. Two steps of add/remove land on one part or on two.
Result<Curve> CurveBuilder::operator()(const cost::Parallel& node) const {
  const std::uint64_t steps = distance_.steps();
  const bool add_remove = distance_.neighbours == Neighbours::kAddRemove;
  TACIT_ASSIGN_OR_RETURN(std::vector<Curve> far, curves_at(node.parts, distance_));
  if (steps != 2 || !add_remove) {
    return largest_parts(std::move(far), add_remove ? steps : 2 * steps);
  }
  TACIT_ASSIGN_OR_RETURN(std::vector<Curve> near, curves_at(node.parts, Distance{}));
  std::vector<Curve> either;
  either.push_back(largest_parts(std::move(far), 1));
  either.push_back(largest_parts(std::move(near), 2));
  return largest_parts(std::move(either), 1);
}

}  // namespace

Result<Curve> curve_of(const Cost& cost) {
  return curve_at(cost, Distance{.neighbours = cost.neighbours()});
}

}  // namespace tacit::renyi
