#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/privacy/cost.h"
#include "tacit/privacy/renyi_chain.h"

// The Rényi divergences of a cost as a function of the order: built once from the tree, read at
// many orders. Equal leaves are merged, so a step repeated a thousand times is priced once.
namespace tacit::renyi {

struct PureLeaf {
  double epsilon;
  auto operator<=>(const PureLeaf&) const = default;
};
struct LaplaceLeaf {
  double noise_multiplier;
  auto operator<=>(const LaplaceLeaf&) const = default;
};
struct DiscreteLaplaceLeaf {
  double scale;
  double sensitivity;
  auto operator<=>(const DiscreteLaplaceLeaf&) const = default;
};
struct GaussianLeaf {
  double rho;
  auto operator<=>(const GaussianLeaf&) const = default;
};
struct DiscreteGaussianLeaf {
  double rho;
  auto operator<=>(const DiscreteGaussianLeaf&) const = default;
};
struct ZcdpLeaf {
  double rho;
  auto operator<=>(const ZcdpLeaf&) const = default;
};
struct RandomizedResponseLeaf {
  double categories;
  double epsilon;
  auto operator<=>(const RandomizedResponseLeaf&) const = default;
};
struct BoundedRangeLeaf {
  double epsilon;
  auto operator<=>(const BoundedRangeLeaf&) const = default;
};
// On a Poisson sample of this rate.
struct SubsampledGaussianLeaf {
  double rate;
  double noise_multiplier;
  auto operator<=>(const SubsampledGaussianLeaf&) const = default;
};
struct SubsampledPureLeaf {
  double rate;
  double epsilon;
  auto operator<=>(const SubsampledPureLeaf&) const = default;
};
using Leaf = std::variant<PureLeaf, LaplaceLeaf, DiscreteLaplaceLeaf, GaussianLeaf,
                          DiscreteGaussianLeaf, ZcdpLeaf, RandomizedResponseLeaf, BoundedRangeLeaf,
                          SubsampledGaussianLeaf, SubsampledPureLeaf>;

class Curve {
 public:
  Curve() = default;
  explicit Curve(Leaf leaf, Rational delta = 0) : delta_(std::move(delta)) {
    leaves_.emplace(leaf, 1);
  }
  explicit Curve(Divergence branch, Rational delta = 0) : delta_(std::move(delta)) {
    branches_.emplace_back(std::move(branch), 1);
  }

  // One after the other: divergences add at each order, and so do deltas.
  void add(const Curve& other);
  void repeat(std::uint64_t times);

  // Upper bounds. delta is at most 1, and exact where those of the parts are.
  [[nodiscard]] const Rational& delta() const { return delta_; }
  [[nodiscard]] double at(double order) const;

  // The pure epsilon that leaves of bounded privacy loss add up to, else +infinity.
  [[nodiscard]] double pure_epsilon() const;

  // Orders at which the curve is tight, while it is not around them.
  [[nodiscard]] const std::vector<double>& landmarks() const { return landmarks_; }
  void set_landmarks(std::vector<double> orders) { landmarks_ = std::move(orders); }

  [[nodiscard]] const std::map<Leaf, double>& leaves() const { return leaves_; }
  [[nodiscard]] bool is_nothing() const { return leaves_.empty() && branches_.empty(); }
  [[nodiscard]] bool has_branches() const { return !branches_.empty(); }

 private:
  Rational delta_;
  std::map<Leaf, double> leaves_;
  std::vector<std::pair<Divergence, double>> branches_;
  std::vector<double> landmarks_;
};

// A Poisson sample over the part (add/remove), and one of fixed size (replace).
Curve poisson_sampled(const Curve& part, double rate);
Result<Curve> fixed_size_sampled(const Curve& part, double rate);

// The curve of a cost, or a refusal that names the node for which nothing is proved.
Result<Curve> curve_of(const Cost& cost);

}  // namespace tacit::renyi
