#include "tacit/sql/composition.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tacit::sql {
namespace {

using Indices = std::vector<std::size_t>;

// The connected components of a graph on `vertices`.
template <class Joined>
std::vector<Indices> components(const Indices& vertices, const Joined& joined) {
  std::vector<Indices> out;
  std::vector<bool> seen(vertices.size(), false);
  for (std::size_t first = 0; first < vertices.size(); ++first) {
    if (seen[first]) continue;
    Indices reached{first};
    seen[first] = true;
    for (std::size_t next = 0; next < reached.size(); ++next) {
      for (std::size_t other = 0; other < vertices.size(); ++other) {
        if (seen[other] || !joined(vertices[reached[next]], vertices[other])) continue;
        seen[other] = true;
        reached.push_back(other);
      }
    }
    std::ranges::sort(reached);
    for (std::size_t& place : reached) place = vertices[place];
    out.push_back(std::move(reached));
  }
  return out;
}

// The error at a budget b is c / b^(power - 1), and a demand the root c^(1 / power): by Lagrange,
// the errors under a fixed sum of budgets are least for budgets in proportion to the demands.
double power_of(Currency currency) { return currency == Currency::kEpsilon ? 2 : 1.5; }

// How many parts of a parallel one unit can change.
std::int64_t touched_parts(Neighbours neighbours) {
  return neighbours == Neighbours::kReplace ? 2 : 1;
}

// Short enough for rationals; only the split depends on it.
Rational rounded(double demand) {
  return Rational(std::llround(1000 * std::max(demand, 0.001))) / Rational(1000);
}

Rational total(const std::vector<Rational>& demands) {
  return std::accumulate(demands.begin(), demands.end(), Rational(0),
                         [](const Rational& a, const Rational& b) { return a + b; });
}

// Errors of parts that each get the whole budget (or half of it) add.
Rational parallel_demand(const std::vector<Rational>& demands, Currency currency,
                         Neighbours neighbours) {
  const double power = power_of(currency);
  double error = 0;
  for (const Rational& each : demands) error += std::pow(each.approximate(), power);
  if (error == 0) return Rational(0);
  const auto touched = static_cast<double>(touched_parts(neighbours));
  return rounded(std::pow(std::pow(touched, power - 1) * error, 1 / power));
}

class Builder {
 public:
  Builder(const std::function<bool(std::size_t, std::size_t)>& apart,
          const std::vector<Rational>& demands, Neighbours neighbours)
      : apart_(apart), demands_(demands), neighbours_(neighbours) {}

  [[nodiscard]] Composition tree(const Indices& releases) const {
    if (releases.size() == 1) {
      return {.kind = Composition::Kind::kRelease, .release = releases.front(), .parts = {}};
    }
    const auto side_by_side =
        components(releases, [&](std::size_t a, std::size_t b) { return !apart_(a, b); });
    if (side_by_side.size() > 1) {
      Composition out = node(Composition::Kind::kParallel, side_by_side);
      if (!worth_it(out)) out.kind = Composition::Kind::kSequence;
      return out;
    }
    const auto one_by_one = components(releases, apart_);
    // Neither splits: some are apart, but no tree says so.
    if (one_by_one.size() == 1) return sequence(releases);
    return node(Composition::Kind::kSequence, one_by_one);
  }

 private:
  [[nodiscard]] Composition node(Composition::Kind kind, const std::vector<Indices>& parts) const {
    Composition out{.kind = kind};
    for (const Indices& part : parts) out.parts.push_back(tree(part));
    return out;
  }
  static Composition sequence(const Indices& releases) {
    Composition out;
    for (const std::size_t release : releases) {
      out.parts.push_back({.kind = Composition::Kind::kRelease, .release = release, .parts = {}});
    }
    return out;
  }
  [[nodiscard]] bool worth_it(const Composition& parallel) const {
    std::vector<Rational> parts;
    for (const Composition& part : parallel.parts) {
      parts.push_back(demand(part, demands_, Currency::kEpsilon, neighbours_));
    }
    return parallel_demand(parts, Currency::kEpsilon, neighbours_) < total(parts);
  }

  const std::function<bool(std::size_t, std::size_t)>& apart_;
  const std::vector<Rational>& demands_;
  Neighbours neighbours_;
};

void divide_part(const Composition& tree, const std::vector<Rational>& demands, Currency currency,
                 Neighbours neighbours, const Rational& budget, std::vector<Rational>& out) {
  if (tree.kind == Composition::Kind::kRelease) {
    if (demands[tree.release].sign() > 0) out[tree.release] = budget;
    return;
  }
  const Rational touched(touched_parts(neighbours));
  const Rational whole = demand(tree, demands, currency, neighbours);
  for (const Composition& part : tree.parts) {
    const Rational wanted = demand(part, demands, currency, neighbours);
    if (wanted.sign() == 0) continue;
    const Rational got =
        tree.kind == Composition::Kind::kParallel ? budget / touched : budget * wanted / whole;
    divide_part(part, demands, currency, neighbours, got, out);
  }
}

bool has_cost(const Composition& tree, const std::vector<std::optional<Cost>>& costs) {
  if (tree.kind == Composition::Kind::kRelease) return costs[tree.release].has_value();
  return std::ranges::any_of(tree.parts,
                             [&](const Composition& part) { return has_cost(part, costs); });
}

std::vector<const Composition*> parts_with_cost(const Composition& tree,
                                                const std::vector<std::optional<Cost>>& costs) {
  std::vector<const Composition*> out;
  for (const Composition& part : tree.parts) {
    if (has_cost(part, costs)) out.push_back(&part);
  }
  return out;
}

Result<void> hand_out(const Composition& tree, const std::vector<std::optional<Cost>>& costs,
                      Permit&& permit, std::vector<std::optional<Permit>>& out) {
  if (tree.kind == Composition::Kind::kRelease) {
    out[tree.release] = std::move(permit);
    return {};
  }
  const auto parts = parts_with_cost(tree, costs);
  if (parts.size() == 1) return hand_out(*parts.front(), costs, std::move(permit), out);
  Permit held = std::move(permit);
  for (const Composition* part : parts) {
    TACIT_ASSIGN_OR_RETURN(const Cost cost, cost_of(*part, costs, held.cost().neighbours()));
    TACIT_ASSIGN_OR_RETURN(Permit taken, held.take(cost));
    TACIT_RETURN_IF_ERROR(hand_out(*part, costs, std::move(taken), out));
  }
  return {};
}

}  // namespace

Composition compose(const std::function<bool(std::size_t, std::size_t)>& apart,
                    const std::vector<Rational>& demands, Neighbours neighbours) {
  if (demands.empty()) return {};
  Indices all(demands.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return Builder(apart, demands, neighbours).tree(all);
}

Rational demand(const Composition& tree, const std::vector<Rational>& demands, Currency currency,
                Neighbours neighbours) {
  if (tree.kind == Composition::Kind::kRelease) return demands[tree.release];
  std::vector<Rational> parts;
  for (const Composition& part : tree.parts) {
    parts.push_back(demand(part, demands, currency, neighbours));
  }
  return tree.kind == Composition::Kind::kSequence ? total(parts)
                                                   : parallel_demand(parts, currency, neighbours);
}

std::vector<Rational> divide(const Composition& tree, const std::vector<Rational>& demands,
                             Currency currency, Neighbours neighbours) {
  std::vector<Rational> out(demands.size());
  divide_part(tree, demands, currency, neighbours, Rational(1), out);
  return out;
}

Result<Cost> cost_of(const Composition& tree, const std::vector<std::optional<Cost>>& costs,
                     Neighbours neighbours) {
  if (tree.kind == Composition::Kind::kRelease) {
    const std::optional<Cost>& cost = costs[tree.release];
    return cost ? *cost : Cost::nothing(neighbours);
  }
  std::vector<Cost> parts;
  for (const Composition* part : parts_with_cost(tree, costs)) {
    TACIT_ASSIGN_OR_RETURN(Cost cost, cost_of(*part, costs, neighbours));
    parts.push_back(std::move(cost));
  }
  if (parts.empty()) return Cost::nothing(neighbours);
  if (parts.size() == 1) return std::move(parts.front());
  return tree.kind == Composition::Kind::kSequence ? Cost::compose(std::move(parts))
                                                   : Cost::parallel(std::move(parts));
}

Result<std::vector<std::optional<Permit>>> permits_of(const Composition& tree,
                                                      const std::vector<std::optional<Cost>>& costs,
                                                      Permit&& permit) {
  std::vector<std::optional<Permit>> out(costs.size());
  TACIT_RETURN_IF_ERROR(hand_out(tree, costs, std::move(permit), out));
  return out;
}

}  // namespace tacit::sql
