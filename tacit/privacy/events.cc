#include "tacit/privacy/events_internal.h"

#include <algorithm>
#include <functional>

#include "tacit/privacy/cost_fields_internal.h"
#include "tacit/privacy/enclosure_internal.h"
#include "tacit/privacy/gaussian_dp.h"
#include "tacit/privacy/pure_internal.h"
#include "tacit/privacy/zcdp.h"

namespace tacit {
namespace {

using Events = std::vector<ApproximateEvent>;

// Two lists, each sorted from the largest epsilon down, taken side by side: one event of the result
// for each event of the longer list. Deltas are chosen apart from epsilons, which is sound where
// only the epsilons together and the deltas together matter, as in all theorems used here.
Events side_by_side(const Events& a, const Events& b, bool largest) {
  Events merged;
  std::size_t i = 0;
  std::size_t j = 0;
  Rational left_a = a.empty() ? Rational(0) : a.front().times;
  Rational left_b = b.empty() ? Rational(0) : b.front().times;
  while (i < a.size() || j < b.size()) {
    const ApproximateEvent none{0, 0, 0};
    const ApproximateEvent& one = i < a.size() ? a[i] : none;
    const ApproximateEvent& other = j < b.size() ? b[j] : none;
    const Rational times = i == a.size()   ? left_b
                           : j == b.size() ? left_a
                                           : std::min(left_a, left_b);
    const auto [low, high] = std::minmax(one.epsilon, other.epsilon);
    const auto [few, many] = std::minmax(one.delta, other.delta);
    merged.push_back({largest ? high : low, largest ? many : few, times});
    const auto pass = [&times](const Events& events, std::size_t& at, Rational& left) {
      if (at == events.size()) return;
      left = left - times;
      if (left.sign() != 0) return;
      ++at;
      if (at < events.size()) left = events[at].times;
    };
    pass(a, i, left_a);
    pass(b, j, left_b);
  }
  return merged;
}

class EventsVisitor {
 public:
  EventsVisitor(Rational curve_delta, Rational group)
      : curve_delta_(std::move(curve_delta)), group_(std::move(group)) {}

  Result<Events> operator()(const cost::Approximate& n) const { return bare(n.epsilon, n.delta); }
  Result<Events> operator()(const cost::PartitionSelection& n) const {
    return bare(n.epsilon, n.delta);
  }
  Result<Events> operator()(const cost::Gaussian& n) const {
    const double mu = (group_ / n.noise_multiplier).upper();
    return curve("gaussian", 0, [mu](double delta) { return gaussian_epsilon(mu, delta); });
  }
  Result<Events> operator()(const cost::DiscreteGaussian& n) const {
    return concentrated("discrete_gaussian",
                        integer(n.squared_sensitivity) / (Rational(2) * n.variance), 0);
  }
  Result<Events> operator()(const cost::Zcdp& n) const {
    if (n.delta.sign() > 0 && group_ > 1) {
      return bad_input("nothing is proved for a group under approximate zero-concentrated privacy",
                       "zcdp", "state the guarantee for the group itself");
    }
    return concentrated("zcdp", n.rho, n.delta);
  }
  Result<Events> operator()(const cost::Renyi&) const {
    return bad_input("a Rényi guarantee is no list of (epsilon, delta) guarantees", "renyi",
                     "ask the rdp accountant");
  }

  Result<Events> operator()(const cost::Compose& n) const {
    Events all;
    for (const Cost& part : n.parts) {
      TACIT_ASSIGN_OR_RETURN(const Events events, std::visit(*this, part.node()));
      all.insert(all.end(), events.begin(), events.end());
    }
    return all;
  }
  Result<Events> operator()(const cost::Repeat& n) const {
    TACIT_ASSIGN_OR_RETURN(Events events, std::visit(*this, n.part->node()));
    for (ApproximateEvent& event : events) event.times = event.times * integer(n.times);
    return events;
  }
  Result<Events> operator()(const cost::Parallel& n) const {
    Events largest;
    Events second;
    for (const Cost& part : n.parts) {
      TACIT_ASSIGN_OR_RETURN(Events events, std::visit(*this, part.node()));
      std::ranges::sort(events, std::greater{}, &ApproximateEvent::epsilon);
      second = side_by_side(second, side_by_side(largest, events, false), true);
      largest = side_by_side(largest, events, true);
    }
    if (n.parts.front().neighbours() == Neighbours::kReplace && n.parts.size() > 1) {
      largest.insert(largest.end(), second.begin(), second.end());
    }
    return largest;
  }
  Result<Events> operator()(const cost::PoissonSample& n) const { return sample(n.rate, *n.part); }
  Result<Events> operator()(const cost::FixedSizeSample& n) const {
    return sample(integer(n.size) / integer(n.population), *n.part);
  }
  Result<Events> operator()(const cost::Group& n) const {
    return std::visit(EventsVisitor(curve_delta_, group_ * integer(n.size)), n.part->node());
  }
  Result<Events> operator()(const cost::AsReplace& n) const {
    return std::visit(EventsVisitor(curve_delta_, group_ * Rational(2)), n.part->node());
  }

  // All other leaves have a pure epsilon.
  template <class Leaf>
  Result<Events> operator()(const Leaf& leaf) const {
    TACIT_ASSIGN_OR_RETURN(const Rational epsilon, pure_epsilon_of(cost::Node(leaf)));
    return bare(epsilon, 0);
  }

 private:
  [[nodiscard]] Events bare(const Rational& epsilon, const Rational& delta) const {
    return {approximate_group(epsilon, delta, group_)};
  }

  template <class EpsilonAt>
  [[nodiscard]] Result<Events> curve(std::string_view type, const Rational& own_delta,
                                     EpsilonAt epsilon_at) const {
    if (curve_delta_.sign() == 0) {
      return bad_input("it has an epsilon only at a delta above 0", std::string(type),
                       "give a delta such as 1e-5");
    }
    const auto epsilon = Rational::exactly(epsilon_at(curve_delta_.lower()));
    if (!epsilon) {
      return bad_input("the noise is too small for a finite epsilon", std::string(type),
                       "add more noise");
    }
    return Events{{*epsilon, own_delta + curve_delta_, 1}};
  }

  // A group of n costs n^2 rho (Bun, Steinke 2016).
  [[nodiscard]] Result<Events> concentrated(std::string_view type, const Rational& rho,
                                            const Rational& own_delta) const {
    const double total = (rho * group_ * group_).upper();
    return curve(type, own_delta, [total](double delta) { return zcdp_epsilon(total, delta); });
  }

  [[nodiscard]] Result<Events> sample(const Rational& rate, const Cost& part) const {
    if (rate.sign() == 0) return Events{};
    TACIT_ASSIGN_OR_RETURN(const Events events, approximate_events(part, curve_delta_));
    const ApproximateEvent whole = basic_sum(events);
    return bare(amplified_epsilon(rate, whole.epsilon), rate * whole.delta);
  }

  Rational curve_delta_;
  Rational group_;
};

}  // namespace

Result<Events> approximate_events(const Cost& cost, const Rational& curve_delta) {
  return std::visit(EventsVisitor(curve_delta, 1), cost.node());
}

bool has_curve(const Cost& cost) {
  const cost::Node& node = cost.node();
  bool found = std::holds_alternative<cost::Gaussian>(node) ||
               std::holds_alternative<cost::DiscreteGaussian>(node) ||
               std::holds_alternative<cost::Zcdp>(node);
  cost::each_child(node, [&](const Cost& child) { found = found || has_curve(child); });
  return found;
}

ApproximateEvent basic_sum(const Events& events) {
  ApproximateEvent sum{0, 0, 1};
  for (const ApproximateEvent& event : events) {
    sum.epsilon = sum.epsilon + event.times * event.epsilon;
    sum.delta = sum.delta + event.times * event.delta;
  }
  sum.delta = std::min(sum.delta, Rational(1));
  return sum;
}

ApproximateEvent approximate_group(const Rational& epsilon, const Rational& delta,
                                   const Rational& size) {
  const Rational total = size * epsilon;
  if (delta.sign() == 0 || size == Rational(1)) return {total, delta, 1};
  if (epsilon.sign() == 0) return {total, std::min(Rational(1), size * delta), 1};
  const Enclosure growth = expm1(Enclosure(total)) / expm1(Enclosure(epsilon));
  const auto grown = Rational::exactly((Enclosure(delta) * growth).upper);
  return {total, grown ? std::min(Rational(1), *grown) : Rational(1), 1};
}

}  // namespace tacit
