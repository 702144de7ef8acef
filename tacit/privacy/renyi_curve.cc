#include "tacit/privacy/renyi_curve_internal.h"

#include <algorithm>
#include <cmath>

#include "tacit/privacy/renyi_leaves.h"
#include "tacit/privacy/renyi_rounding_internal.h"
#include "tacit/privacy/renyi_sampling.h"
#include "tacit/privacy/renyi_subsampled_gaussian.h"

namespace tacit::renyi {
namespace {

struct LeafAt {
  double order;

  double operator()(const PureLeaf& leaf) const { return of_pure(leaf.epsilon, order); }
  double operator()(const LaplaceLeaf& leaf) const {
    return of_laplace(leaf.noise_multiplier, order);
  }
  double operator()(const DiscreteLaplaceLeaf& leaf) const {
    return of_discrete_laplace(leaf.scale, leaf.sensitivity, order);
  }
  double operator()(const GaussianLeaf& leaf) const { return of_zcdp(leaf.rho, order); }
  double operator()(const DiscreteGaussianLeaf& leaf) const { return of_zcdp(leaf.rho, order); }
  double operator()(const ZcdpLeaf& leaf) const { return of_zcdp(leaf.rho, order); }
  double operator()(const RandomizedResponseLeaf& leaf) const {
    return of_randomized_response(leaf.categories, leaf.epsilon, order);
  }
  double operator()(const BoundedRangeLeaf& leaf) const {
    return of_bounded_range(leaf.epsilon, order);
  }
  double operator()(const SubsampledGaussianLeaf& leaf) const {
    return of_subsampled_gaussian(leaf.rate, leaf.noise_multiplier, order);
  }
  double operator()(const SubsampledPureLeaf& leaf) const {
    return of_subsampled_pure(leaf.rate, leaf.epsilon, order);
  }
};

struct PureEpsilon {
  double operator()(const PureLeaf& leaf) const { return leaf.epsilon; }
  double operator()(const LaplaceLeaf& leaf) const { return up(1 / leaf.noise_multiplier, 1); }
  double operator()(const DiscreteLaplaceLeaf& leaf) const {
    return up(leaf.sensitivity / leaf.scale, 1);
  }
  double operator()(const RandomizedResponseLeaf& leaf) const { return leaf.epsilon; }
  double operator()(const BoundedRangeLeaf& leaf) const { return leaf.epsilon; }
  double operator()(const SubsampledPureLeaf& leaf) const { return leaf.epsilon; }
  double operator()(const auto& /*unbounded*/) const { return kInfinity; }
};

}  // namespace

double Curve::pure_epsilon() const {
  if (!branches_.empty()) return kInfinity;
  double total = 0;
  for (const auto& [leaf, times] : leaves_) {
    total = sum_up(total, product_up(times, std::visit(PureEpsilon{}, leaf)));
  }
  return total;
}

void Curve::add(const Curve& other) {
  delta_ = std::min(Rational(1), delta_ + other.delta_);
  for (const auto& [leaf, times] : other.leaves_) {
    double& count = leaves_[leaf];
    count = sum_up(count, times);
  }
  branches_.insert(branches_.end(), other.branches_.begin(), other.branches_.end());
  landmarks_.insert(landmarks_.end(), other.landmarks_.begin(), other.landmarks_.end());
}

void Curve::repeat(std::uint64_t times) {
  const bool exact = times >> 53U == 0;
  const double factor = exact ? static_cast<double>(times) : up(static_cast<double>(times), 1);
  delta_ = std::min(Rational(1), Rational(mpq_class(mpz_class(times))) * delta_);
  for (auto& [leaf, count] : leaves_) count = product_up(factor, count);
  for (auto& [branch, count] : branches_) count = product_up(factor, count);
}

double Curve::at(double order) const {
  double total = 0;
  for (const auto& [leaf, times] : leaves_) {
    total = sum_up(total, product_up(times, std::visit(LeafAt{order}, leaf)));
  }
  for (const auto& [branch, times] : branches_) {
    if (times > 0) total = sum_up(total, product_up(times, branch(order)));
  }
  return total;
}

}  // namespace tacit::renyi
