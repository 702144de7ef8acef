#include <algorithm>
#include <cmath>
#include <utility>

#include "tacit/privacy/renyi_curve_internal.h"
#include "tacit/privacy/renyi_leaves.h"
#include "tacit/privacy/renyi_rounding_internal.h"
#include "tacit/privacy/renyi_sampling.h"

namespace tacit::renyi {
namespace {

template <class... Kinds>
bool only(const Curve& curve) {
  if (curve.has_branches()) return false;
  return std::ranges::all_of(curve.leaves(), [](const auto& entry) {
    return (std::holds_alternative<Kinds>(entry.first) || ...);
  });
}

// The one leaf of this kind that the curve consists of, else null.
template <class Kind>
const Kind* single(const Curve& curve) {
  if (curve.has_branches() || curve.leaves().size() != 1) return nullptr;
  const auto& [leaf, times] = *curve.leaves().begin();
  return times == 1 ? std::get_if<Kind>(&leaf) : nullptr;
}

// Whether the divergences are those of a dominating pair that a map of the outputs swaps. Discrete
// Gaussians have one for each shift, so only a single one may be read so: a later shift could
// depend on an answer before it.
bool has_symmetric_pair(const Curve& curve) {
  return only<PureLeaf, LaplaceLeaf, DiscreteLaplaceLeaf, GaussianLeaf, RandomizedResponseLeaf>(
             curve) ||
         single<DiscreteGaussianLeaf>(curve) != nullptr;
}

// Gaussians one after the other are one Gaussian (Dong, Roth and Su 2022).
Curve sampled_gaussians(const Curve& part, double rate) {
  double rho = 0;
  for (const auto& [leaf, times] : part.leaves()) {
    rho = sum_up(rho, product_up(times, std::get<GaussianLeaf>(leaf).rho));
  }
  return Curve(SubsampledGaussianLeaf{rate, std::sqrt(0.5 / rho) * (1 - 4 * kUnit)});
}

// A sample of fixed size makes (epsilon, delta) into (log(1 + rate (e^epsilon - 1)), rate delta)
// (Balle, Barthe and Gaboardi 2018, Theorem 9).
double amplified_epsilon(double epsilon, double rate) {
  if (epsilon == kInfinity) return kInfinity;
  return std::min(epsilon, up(std::log1p(up(rate * std::expm1(epsilon), 8)), 8));
}

Rational sampled_delta(const Curve& part, double rate) {
  return Rational::exactly(rate).value() * part.delta();
}

Divergence as_divergence(const Curve& curve) {
  return [curve](double order) { return curve.at(order); };
}

}  // namespace

Curve poisson_sampled(const Curve& part, double rate) {
  if (part.is_nothing()) return part;
  if (part.delta().sign() == 0 && only<GaussianLeaf>(part)) return sampled_gaussians(part, rate);
  if (const auto* pure = single<PureLeaf>(part)) {
    return Curve(SubsampledPureLeaf{rate, pure->epsilon}, sampled_delta(part, rate));
  }
  Divergence sampled = of_poisson_sample(as_divergence(part), rate, has_symmetric_pair(part));
  if (const auto* range = single<BoundedRangeLeaf>(part)) {
    return Curve([sampled = std::move(sampled), rate, epsilon = range->epsilon](double order) {
      return std::min(sampled(order), of_subsampled_pure(rate, epsilon, order));
    });
  }
  return Curve(std::move(sampled), part.delta());
}

Result<Curve> fixed_size_sampled(const Curve& part, double rate) {
  if (part.is_nothing()) return part;
  const double amplified = amplified_epsilon(part.pure_epsilon(), rate);
  if (single<PureLeaf>(part) != nullptr) {
    return Curve(PureLeaf{amplified}, sampled_delta(part, rate));
  }
  if (part.delta().sign() > 0) {
    return bad_input("nothing is proved of a fixed-size sample over a composition with a delta",
                     "fixed_size_sample", "sample each (epsilon, delta) part by itself");
  }
  Divergence sampled = of_fixed_size_sample(as_divergence(part), part.pure_epsilon(), rate);
  Divergence by_pair = [](double) { return kInfinity; };
  // Not for discrete Gaussians, whose worst shift may differ from one epsilon to the next.
  if (has_symmetric_pair(part) && single<DiscreteGaussianLeaf>(part) == nullptr) {
    by_pair = of_fixed_size_pair(as_divergence(poisson_sampled(part, rate)));
  }
  return Curve(
      [sampled = std::move(sampled), by_pair = std::move(by_pair), amplified](double order) {
        return std::min({sampled(order), by_pair(order), of_pure(amplified, order)});
      });
}

}  // namespace tacit::renyi
