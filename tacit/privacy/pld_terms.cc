#include "tacit/privacy/pld_terms_internal.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "tacit/privacy/pure_internal.h"

namespace tacit::pld {
namespace {

std::unexpected<Error> refused(std::string what, std::string remedy) {
  return bad_input(std::move(what), "PLD accountant", std::move(remedy));
}

std::unexpected<Error> no_pair(const std::string& name) {
  return refused("no pair of distributions dominates " + name,
                 "ask the accountant of that guarantee, or give the mechanism itself");
}

std::unexpected<Error> too_many() { return refused("more than 2^64 compositions", "count fewer"); }

// The largest double not above a quotient, and the least not below a count: on the side of more
// loss.
double less(double numerator, double denominator) {
  const double nearest = numerator / denominator;
  const bool above = std::fma(nearest, denominator, -numerator) > 0;
  return above ? std::nextafter(nearest, 0.0) : nearest;
}
double count(std::uint64_t value) { return integer(value).upper(); }

// The pair of one leaf for a group of `size` units. Noise that is log-concave is, for a group, that
// of `size` times the sensitivity (pld_proof.md, "Groups").
class LeafPair {
 public:
  explicit LeafPair(double size) : size_(size) {}

  Result<Pair> operator()(const cost::Pure& leaf) const { return pure(leaf.epsilon); }
  Result<Pair> operator()(const cost::Approximate& leaf) const {
    return approximate(leaf.epsilon, leaf.delta);
  }
  Result<Pair> operator()(const cost::Zcdp&) const { return no_pair("a bare zCDP guarantee"); }
  Result<Pair> operator()(const cost::Renyi&) const { return no_pair("a bare Rényi guarantee"); }
  Result<Pair> operator()(const cost::Laplace& leaf) const {
    return laplace_pair(less(leaf.noise_multiplier.lower(), size_));
  }
  Result<Pair> operator()(const cost::DiscreteLaplace& leaf) const {
    return discrete_laplace_pair(leaf.scale.lower(), size_ * count(leaf.sensitivity));
  }
  Result<Pair> operator()(const cost::Gaussian& leaf) const {
    return gaussian_pair(less(leaf.noise_multiplier.lower(), size_));
  }
  Result<Pair> operator()(const cost::DiscreteGaussian& leaf) const {
    if (leaf.coordinates > 1) {
      return refused("no tight pair is known for discrete Gaussian noise on several coordinates",
                     "ask the zCDP or RDP accountant");
    }
    const double sensitivity = std::floor(std::sqrt(count(leaf.squared_sensitivity)));
    return discrete_gaussian_pair(leaf.variance.lower(), size_ * sensitivity);
  }
  Result<Pair> operator()(const cost::RandomizedResponse& leaf) const {
    if (size_ > 1) {
      TACIT_ASSIGN_OR_RETURN(const Rational epsilon, pure_epsilon_of(leaf));
      return pure(epsilon);
    }
    // Rarer lies tell more; the truth is what they leave, to the last place.
    const Rational others = integer(leaf.categories - 1);
    const double lie = ((Rational(1) - leaf.truth) / others).lower();
    const Rational truth = Rational(1) - (others * *Rational::exactly(lie));
    return randomized_response_pair(count(leaf.categories), truth.upper(), lie);
  }
  Result<Pair> operator()(const cost::Exponential& leaf) const {
    return size_ == 1 ? bounded_range_pair(leaf.epsilon.upper()) : pure(leaf.epsilon);
  }
  Result<Pair> operator()(const cost::PermuteAndFlip& leaf) const { return pure(leaf.epsilon); }
  Result<Pair> operator()(const cost::SparseVector& leaf) const { return pure(leaf.epsilon); }
  Result<Pair> operator()(const cost::PartitionSelection& leaf) const {
    return approximate(leaf.epsilon, leaf.delta);
  }
  Result<Pair> operator()(const cost::NoneProved&) const {
    return no_pair("a release with no differential-privacy guarantee");
  }
  Result<Pair> operator()(const cost::PoissonSample&) const {
    return refused(
        "nothing is proved here for a group of units, or replace neighbours, of a sample",
        "make the group the privacy unit and sample whole groups, or ask the pure accountant");
  }
  Result<Pair> operator()(const cost::FixedSizeSample&) const {
    return refused("samples of a fixed size have no pair here", "ask the RDP accountant");
  }
  // Nodes with parts are taken apart before they come here, except inside of a sample.
  template <class Node>
  Result<Pair> operator()(const Node&) const {
    return refused("a sample of more than one mechanism has no pair here",
                   "sample each mechanism on its own, or ask the RDP accountant");
  }

 private:
  [[nodiscard]] Pair pure(const Rational& epsilon) const {
    return approximate_pair((Rational(mpq_class(size_)) * epsilon).upper(), 0);
  }
  // (size epsilon, delta (1 + e^epsilon + ... + e^((size - 1) epsilon))).
  [[nodiscard]] Pair approximate(const Rational& epsilon, const Rational& delta) const {
    const double one = epsilon.upper();
    const double sum = one > 0 ? std::expm1(size_ * one) / std::expm1(one) : size_;
    constexpr double kRounding = 1 + 0x1p-40;
    const bool grows = size_ > 1 && delta.sign() > 0;
    const double grown = grows ? delta.upper() * sum * kRounding : delta.upper();
    return approximate_pair((Rational(mpq_class(size_)) * epsilon).upper(), std::min(grown, 1.0));
  }

  double size_;
};

// A leaf or a sample of one, as often as it is composed and for a group of how many.
struct Event {
  const Cost* cost = nullptr;
  std::uint64_t times = 1;
  double group = 1;
};

class Flattener {
 public:
  Result<void> add(const Cost& cost, std::uint64_t times, double group) {
    return std::visit([&](const auto& node) { return add_node(cost, node, times, group); },
                      cost.node());
  }

  [[nodiscard]] const std::vector<Event>& events() const { return events_; }

 private:
  Result<void> add_node(const Cost&, const cost::Compose& node, std::uint64_t times, double group) {
    for (const Cost& part : node.parts) TACIT_RETURN_IF_ERROR(add(part, times, group));
    return {};
  }
  Result<void> add_node(const Cost&, const cost::Repeat& node, std::uint64_t times, double group) {
    std::uint64_t total = 0;
    if (__builtin_mul_overflow(times, node.times, &total)) return too_many();
    return add(*node.part, total, group);
  }
  Result<void> add_node(const Cost&, const cost::Group& node, std::uint64_t times, double group) {
    return add(*node.part, times, group * count(node.size));
  }
  Result<void> add_node(const Cost&, const cost::AsReplace& node, std::uint64_t times,
                        double group) {
    return add(*node.part, times, 2 * group);
  }
  Result<void> add_node(const Cost&, const cost::Parallel& node, std::uint64_t times,
                        double group) {
    if (node.parts.empty()) return {};
    const bool equal = std::ranges::all_of(
        node.parts, [&](const Cost& part) { return part == node.parts.front(); });
    if (group > 1 || node.parts.front().neighbours() == Neighbours::kReplace) {
      return refused("two units, or a unit and its replacement, may lie in two disjoint parts",
                     "ask the pure or the RDP accountant");
    }
    if (!equal) {
      return refused("disjoint parts of different cost inside of a composition",
                     "compose inside of each part, or ask the RDP accountant");
    }
    return add(node.parts.front(), times, group);
  }
  template <class Leaf>
  Result<void> add_node(const Cost& cost, const Leaf&, std::uint64_t times, double group) {
    for (Event& event : events_) {
      if (event.group == group && *event.cost == cost) {
        if (__builtin_add_overflow(event.times, times, &event.times)) return too_many();
        return {};
      }
    }
    if (times > 0) events_.push_back({&cost, times, group});
    return {};
  }

  std::vector<Event> events_;
};

// Gaussian noise composes to Gaussian noise: mu^2 adds up (Dong, Roth and Su 2022).
class TermBuilder {
 public:
  explicit TermBuilder(Direction direction) : direction_(direction) {}

  Result<void> add(const Event& event) {
    if (const auto* gaussian = std::get_if<cost::Gaussian>(&event.cost->node())) {
      const double mu = event.group / gaussian->noise_multiplier.lower();
      squared_mu_ += static_cast<double>(event.times) * mu * mu;
      return {};
    }
    if (const auto* sample = std::get_if<cost::PoissonSample>(&event.cost->node());
        sample != nullptr && event.group == 1) {
      if (sample->rate.sign() == 0) return {};
      TACIT_ASSIGN_OR_RETURN(Pair base, base_of(*sample->part));
      const double rate = sample->rate.upper();
      if (rate < 1) {
        composed_.symmetric = false;
        base = poisson_pair(std::move(base), rate, direction_);
      }
      composed_.terms.push_back({std::move(base), event.times});
      return {};
    }
    TACIT_ASSIGN_OR_RETURN(Pair pair, std::visit(LeafPair(event.group), event.cost->node()));
    composed_.terms.push_back({std::move(pair), event.times});
    return {};
  }

  Composed finish() && {
    if (squared_mu_ > 0) {
      constexpr double kRounding = 1 - 0x1p-48;
      composed_.terms.push_back({gaussian_pair(kRounding / std::sqrt(squared_mu_)), 1});
    }
    return std::move(composed_);
  }

 private:
  // A sample of one repetition is one mechanism too. That of a group is not: each of its units is
  // sampled by a coin of its own.
  static Result<Pair> base_of(const Cost& part) {
    Flattener flattener;
    TACIT_RETURN_IF_ERROR(flattener.add(part, 1, 1));
    if (flattener.events().size() != 1 || flattener.events().front().times != 1) {
      return std::visit(LeafPair(1), cost::Node(cost::Compose{}));
    }
    const Event& event = flattener.events().front();
    if (event.group != 1) {
      return refused("nothing is proved here for a sample over a group of units",
                     "make the group the privacy unit and sample whole groups");
    }
    return std::visit(LeafPair(1), event.cost->node());
  }

  Direction direction_;
  double squared_mu_ = 0;
  Composed composed_;
};

Result<Composed> composed(const Cost& cost, Direction direction) {
  Flattener flattener;
  TACIT_RETURN_IF_ERROR(flattener.add(cost, 1, 1));
  TermBuilder builder(direction);
  for (const Event& event : flattener.events()) TACIT_RETURN_IF_ERROR(builder.add(event));
  return std::move(builder).finish();
}

}  // namespace

Result<std::vector<Composed>> composed_terms(const Cost& cost, Direction direction) {
  std::vector<Composed> all;
  const auto* parallel = std::get_if<cost::Parallel>(&cost.node());
  if (parallel == nullptr || cost.neighbours() == Neighbours::kReplace) {
    TACIT_ASSIGN_OR_RETURN(Composed one, composed(cost, direction));
    all.push_back(std::move(one));
    return all;
  }
  for (const Cost& part : parallel->parts) {
    TACIT_ASSIGN_OR_RETURN(std::vector<Composed> inner, composed_terms(part, direction));
    std::ranges::move(inner, std::back_inserter(all));
  }
  return all;
}

}  // namespace tacit::pld
