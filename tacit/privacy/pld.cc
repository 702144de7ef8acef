#include "tacit/privacy/pld.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tacit/privacy/pld_plan_internal.h"
#include "tacit/privacy/pld_single_internal.h"
#include "tacit/privacy/pld_terms_internal.h"

namespace tacit {
namespace {

using pld::Composed;
using pld::Direction;
using pld::Question;
using pld::Term;

constexpr double kWidest = 1e-3;
constexpr int kCoarsest = -3;
constexpr int kFinest = 3;

bool sharp(const Bracket& bracket) {
  return bracket.upper - bracket.lower <= kWidest * bracket.upper ||
         (std::isinf(bracket.lower) && std::isinf(bracket.upper));
}

// Proved bounds; where a number left the range of doubles, those that always hold.
Bracket answer_composed(const std::vector<Term>& terms, const Question& question,
                        const pld::Effort& effort) {
  const pld::Composition composition = pld::compose_for(terms, question, effort);
  const bool of_epsilon = question.asks_epsilon();
  const Bracket bracket =
      of_epsilon
          ? Bracket{composition.epsilon_lower(question.at), composition.epsilon_upper(question.at)}
          : Bracket{composition.delta_lower(question.at), composition.delta_upper(question.at)};
  const double highest = of_epsilon ? std::numeric_limits<double>::infinity() : 1;
  return {std::isnan(bracket.lower) ? 0 : bracket.lower,
          std::isnan(bracket.upper) ? highest : bracket.upper};
}

Bracket answer_single(const pld::DominatingPair& pair, const Question& question) {
  if (question.asks_epsilon()) {
    return {single_epsilon_lower(pair, question.at), single_epsilon_upper(pair, question.at)};
  }
  return {single_delta_lower(pair, question.at), single_delta_upper(pair, question.at)};
}

// The bracket of one composition, or one whose upper end lies below `beaten`: where a coarse answer
// shows that much, no fine one is needed.
Bracket answer(const std::vector<Term>& terms, const Question& question, double beaten) {
  if (terms.empty()) return {};
  const bool certain_loss =
      std::ranges::any_of(terms, [](const Term& term) { return term.pair->infinite_mass() >= 1; });
  if (certain_loss) {
    const double all = question.asks_epsilon() ? std::numeric_limits<double>::infinity() : 1;
    return {all, all};
  }
  if (terms.size() == 1 && terms.front().times == 1) {
    const Bracket single = answer_single(*terms.front().pair, question);
    if (sharp(single)) return single;
  }
  if (beaten > 0) {
    const Bracket coarse = answer_composed(terms, question, {.fineness = kCoarsest});
    if (coarse.upper <= beaten) return coarse;
  }
  Bracket best = answer_composed(terms, question, {});
  for (int fineness = 0; fineness <= kFinest && !sharp(best); ++fineness) {
    const Bracket finer =
        answer_composed(terms, question, {.fineness = fineness, .from_zero = true});
    best = {std::max(best.lower, finer.lower), std::min(best.upper, finer.upper)};
  }
  return best;
}

Result<Bracket> worst_answer(const Cost& cost, const Question& question) {
  Bracket worst;
  for (const Direction direction : {Direction::kRemove, Direction::kAdd}) {
    TACIT_ASSIGN_OR_RETURN(const std::vector<Composed> all, pld::composed_terms(cost, direction));
    for (const Composed& composed : all) {
      if (direction == Direction::kAdd && composed.symmetric) continue;
      const Bracket one = answer(composed.terms, question, worst.lower);
      worst = {std::max(worst.lower, one.lower), std::max(worst.upper, one.upper)};
    }
  }
  return worst;
}

}  // namespace

Result<Bracket> pld_epsilon(const Cost& cost, double delta) {
  if (!(delta > 0 && delta < 1)) {
    return bad_input("delta must lie between 0 and 1", "delta", "give a number such as 1e-5");
  }
  return worst_answer(cost, Question::epsilon_at(delta));
}

Result<Bracket> pld_delta(const Cost& cost, double epsilon) {
  if (!(epsilon >= 0 && std::isfinite(epsilon))) {
    return bad_input("epsilon must be finite and at least 0", "epsilon", "give a number such as 1");
  }
  return worst_answer(cost, Question::delta_at(epsilon));
}

}  // namespace tacit
