#include "tacit/privacy/pld.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tacit/privacy/pld_plan_internal.h"
#include "tacit/privacy/pld_single_internal.h"
#include "tacit/privacy/pld_terms_internal.h"
#include "tacit/privacy/pure.h"

namespace tacit {
namespace {

using pld::Composed;
using pld::Direction;
using pld::Question;
using pld::Term;

// Relative widths: what is promised, and what is not worth more work.
constexpr double kWidest = 1e-3;
constexpr double kEnough = 5e-7;
// Of the planner's first choice.
constexpr int kCoarsest = -3;
constexpr int kFinest = 3;

bool narrower(const Bracket& bracket, double width) {
  return bracket.upper - bracket.lower <= width * bracket.upper ||
         (std::isinf(bracket.lower) && std::isinf(bracket.upper));
}

Bracket bracket_of(const pld::Composition& composition, const Question& question) {
  if (question.asks_epsilon()) {
    return {composition.epsilon_lower(question.at), composition.epsilon_upper(question.at)};
  }
  return {composition.delta_lower(question.at), composition.delta_upper(question.at)};
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
    if (narrower(single, kWidest)) return single;
  }
  const pld::Planner planner(terms, question);
  const auto narrow = [&](Bracket& bracket, const pld::Effort& effort) {
    const Bracket other = bracket_of(planner.compose(effort), question);
    bracket = {std::max(bracket.lower, other.lower), std::min(bracket.upper, other.upper)};
  };
  Bracket best = bracket_of(planner.compose({.fineness = kCoarsest}), question);
  if (best.upper <= beaten || narrower(best, kEnough)) return best;
  // The width falls with the square of the step.
  const double excess = (best.upper - best.lower) / (kEnough * best.upper);
  const double halvings = std::isfinite(excess) ? std::ceil(std::log2(excess) / 2) : -kCoarsest;
  narrow(best, {.fineness = std::min(kCoarsest + static_cast<int>(halvings), 0)});
  for (int fineness = 0; fineness <= kFinest && !narrower(best, kWidest); ++fineness) {
    narrow(best, {.fineness = fineness, .from_zero = true});
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
      if (std::isnan(one.lower) || std::isnan(one.upper)) {
        return bad_input("a number left the range of doubles", "PLD accountant",
                         "ask the pure or the RDP accountant");
      }
      worst = {std::max(worst.lower, one.lower), std::max(worst.upper, one.upper)};
    }
  }
  return worst;
}

// Where every event has a pure epsilon, their sum is a bound too: of epsilon, and of where delta
// comes down to 0.
Bracket capped_by_pure(Bracket bracket, const Cost& cost, const Question& question) {
  const Result<Rational> pure = pure_epsilon(cost);
  if (!pure) return bracket;
  if (question.asks_epsilon()) {
    bracket.upper = std::min(bracket.upper, pure->upper());
  } else if (question.at >= pure->upper()) {
    bracket.upper = 0;
  }
  bracket.lower = std::min(bracket.lower, bracket.upper);
  return bracket;
}

Result<Bracket> final_answer(const Cost& cost, const Question& question) {
  TACIT_ASSIGN_OR_RETURN(const Bracket worst, worst_answer(cost, question));
  return capped_by_pure(worst, cost, question);
}

}  // namespace

Result<Bracket> pld_epsilon(const Cost& cost, double delta) {
  if (!(delta > 0 && delta < 1)) {
    return bad_input("delta must lie between 0 and 1", "delta", "give a number such as 1e-5");
  }
  return final_answer(cost, Question::epsilon_at(delta));
}

Result<Bracket> pld_delta(const Cost& cost, double epsilon) {
  if (!(epsilon >= 0 && std::isfinite(epsilon))) {
    return bad_input("epsilon must be finite and at least 0", "epsilon", "give a number such as 1");
  }
  return final_answer(cost, Question::delta_at(epsilon));
}

}  // namespace tacit
