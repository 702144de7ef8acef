#include "tacit/privacy/pld.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tacit/privacy/pld_plan_internal.h"

namespace tacit {
namespace {

using pld::Direction;
using pld::Pair;
using pld::Term;

std::unexpected<Error> refused(std::string what) {
  return bad_input(std::move(what), "PLD accountant",
                   "ask another accountant, or give the cost as a mechanism it knows");
}

Result<Pair> pair_of(const Cost& cost, Direction direction) {
  const cost::Node& node = cost.node();
  if (const auto* gaussian = std::get_if<cost::Gaussian>(&node)) {
    return pld::gaussian_pair(gaussian->noise_multiplier.lower());
  }
  if (const auto* laplace = std::get_if<cost::Laplace>(&node)) {
    return pld::laplace_pair(laplace->noise_multiplier.lower());
  }
  if (const auto* sample = std::get_if<cost::PoissonSample>(&node)) {
    TACIT_ASSIGN_OR_RETURN(Pair base, pair_of(*sample->part, direction));
    return pld::poisson_pair(std::move(base), sample->rate.upper(), direction);
  }
  return refused("no dominating pair is known for this cost");
}

Result<void> add_terms(const Cost& cost, std::uint64_t times, Direction direction,
                       std::vector<Term>& terms) {
  if (const auto* compose = std::get_if<cost::Compose>(&cost.node())) {
    for (const Cost& part : compose->parts) {
      TACIT_RETURN_IF_ERROR(add_terms(part, times, direction, terms));
    }
    return {};
  }
  if (const auto* repeat = std::get_if<cost::Repeat>(&cost.node())) {
    return add_terms(*repeat->part, times * repeat->times, direction, terms);
  }
  TACIT_ASSIGN_OR_RETURN(Pair pair, pair_of(cost, direction));
  if (times > 0) terms.push_back({std::move(pair), times});
  return {};
}

}  // namespace

Result<Bracket> pld_epsilon(const Cost& cost, double delta) {
  if (!(delta > 0 && delta < 1)) return bad_input("delta must lie between 0 and 1", "delta");
  Bracket worst;
  for (const Direction direction : {Direction::kRemove, Direction::kAdd}) {
    std::vector<Term> terms;
    TACIT_RETURN_IF_ERROR(add_terms(cost, 1, direction, terms));
    if (terms.empty()) return worst;
    const pld::Composition composition = pld::compose_for(terms, {.delta = delta}, 0);
    worst.lower = std::max(worst.lower, composition.epsilon_lower(delta));
    worst.upper = std::max(worst.upper, composition.epsilon_upper(delta));
  }
  return worst;
}

Result<Bracket> pld_delta(const Cost& cost, double epsilon) {
  if (!(epsilon >= 0 && std::isfinite(epsilon))) {
    return bad_input("epsilon must be finite and at least 0", "epsilon");
  }
  Bracket worst;
  for (const Direction direction : {Direction::kRemove, Direction::kAdd}) {
    std::vector<Term> terms;
    TACIT_RETURN_IF_ERROR(add_terms(cost, 1, direction, terms));
    if (terms.empty()) return worst;
    const pld::Composition composition = pld::compose_for(terms, {.epsilon = epsilon}, 0);
    worst.lower = std::max(worst.lower, composition.delta_lower(epsilon));
    worst.upper = std::max(worst.upper, composition.delta_upper(epsilon));
  }
  return worst;
}

}  // namespace tacit
