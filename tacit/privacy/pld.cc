#include "tacit/privacy/pld.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tacit/privacy/advanced.h"
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

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Relative widths: what is promised, and what is not worth more work.
constexpr double kWidest = 1e-3;
constexpr double kEnough = 4e-7;
// Of the planner's first choice.
constexpr double kCoarsest = -3;
constexpr double kFinest = 3;
// Each step pays 2^-40 for rounding (pld_proof.md, "Slack"); beyond this nothing sharp is left.
constexpr double kMostSteps = 0x1p50;

double steps(const std::vector<Term>& terms) {
  double sum = 0;
  for (const Term& term : terms) sum += static_cast<double>(term.times);
  return sum;
}

bool narrower(const ProvedBounds& bracket, double width) {
  if (std::isinf(bracket.upper)) return std::isinf(bracket.lower);
  return bracket.upper - bracket.lower <= width * bracket.upper;
}

ProvedBounds bracket_of(const pld::Composition& composition, const Question& question) {
  if (question.asks_epsilon()) {
    return {composition.epsilon_lower(question.at), composition.epsilon_upper(question.at)};
  }
  return {composition.delta_lower(question.at), composition.delta_upper(question.at)};
}

ProvedBounds answer_single(const pld::DominatingPair& pair, const Question& question) {
  if (question.asks_epsilon()) {
    return {single_epsilon_lower(pair, question.at), single_epsilon_upper(pair, question.at)};
  }
  return {single_delta_lower(pair, question.at), single_delta_upper(pair, question.at)};
}

// Where every event has a pure epsilon, their sum bounds epsilon too, and delta is 0 from there on.
double most_by_pure(const Cost& cost, const Question& question) {
  const Result<Rational> pure = pure_epsilon(cost);
  if (question.asks_epsilon()) return pure ? pure->upper() : kInfinity;
  return pure && question.at >= pure->upper() ? 0 : 1;
}

// Brackets of one composition, narrowed by finer and finer lattices as long as that helps.
class Narrowing {
 public:
  Narrowing(const std::vector<Term>& terms, const Question& question, const ProvedBounds& known)
      : planner_(terms, question), question_(question), best_(known) {}

  [[nodiscard]] const ProvedBounds& best() const { return best_; }

  // False where the bracket hardly became narrower.
  bool narrow(const pld::Effort& effort) {
    const double before = best_.upper - best_.lower;
    const ProvedBounds other = bracket_of(planner_.compose(effort), question_);
    // What is no number leaves what is known.
    best_ = {std::max(best_.lower, other.lower), std::min(best_.upper, other.upper)};
    constexpr double kWorthwhile = 0.9;
    return best_.upper - best_.lower < kWorthwhile * before;
  }

 private:
  pld::Planner planner_;
  Question question_;
  ProvedBounds best_;
};

// What to do after a first, coarse answer: a window that need only hold what it leaves open, and a
// step that will do, as the width falls with its square.
pld::Effort next_effort(const Question& question, const ProvedBounds& coarse) {
  const double width = (coarse.upper - coarse.lower) / coarse.upper;
  if (!std::isfinite(width)) return {.fineness = 0};
  const double fineness = std::min(kCoarsest + (std::log2(width / kEnough) / 2), 0.0);
  const double next_width = width * std::exp2(2 * (kCoarsest - fineness));
  return {.fineness = fineness,
          .least = question.asks_epsilon() ? coarse.lower : question.at,
          .leak = std::clamp(next_width / 8, 1e-8, 1e-5)};
}

// The bracket of one composition whose upper end is known to be at most `most`, or one whose upper
// end lies below `beaten`: where a coarse answer shows that much, no fine one is needed.
ProvedBounds answer(const std::vector<Term>& terms, const Question& question, double most,
                    double beaten) {
  if (terms.empty()) return {};
  ProvedBounds known{0, most};
  const bool certain_loss =
      std::ranges::any_of(terms, [](const Term& term) { return term.pair->infinite_mass() >= 1; });
  if (certain_loss || narrower(known, kWidest)) return {most, most};
  if (terms.size() == 1 && terms.front().times == 1) {
    const ProvedBounds single = answer_single(*terms.front().pair, question);
    known = {single.lower, std::min(single.upper, most)};
    if (narrower(known, kWidest)) return known;
  }
  if (steps(terms) > kMostSteps) return known;
  Narrowing narrowing(terms, question, known);
  narrowing.narrow({.fineness = kCoarsest});
  const ProvedBounds coarse = narrowing.best();
  if (coarse.upper <= beaten || narrower(coarse, kEnough)) return coarse;
  narrowing.narrow(next_effort(question, coarse));
  double fineness = 0;
  while (fineness <= kFinest && !narrower(narrowing.best(), kWidest)) {
    if (!narrowing.narrow({.fineness = fineness, .least = 0})) break;
    fineness += 1;
  }
  return narrowing.best();
}

Result<ProvedBounds> worst_answer(const Cost& cost, const Question& question) {
  ProvedBounds worst;
  const double most = most_by_pure(cost, question);
  for (const Direction direction : {Direction::kRemove, Direction::kAdd}) {
    TACIT_ASSIGN_OR_RETURN(const std::vector<Composed> all, pld::composed_terms(cost, direction));
    for (const Composed& composed : all) {
      if (direction == Direction::kAdd && composed.symmetric) continue;
      const ProvedBounds one = answer(composed.terms, question, most, worst.lower);
      worst = {std::max(worst.lower, one.lower), std::max(worst.upper, one.upper)};
    }
  }
  worst.lower = std::min(worst.lower, worst.upper);
  return worst;
}

// To the transform, losses above a few hundred are infinite. Sums of epsilons and deltas hold for
// them too.
Result<ProvedBounds> final_answer(const Cost& cost, const Question& question) {
  TACIT_ASSIGN_OR_RETURN(ProvedBounds bracket, worst_answer(cost, question));
  if (question.asks_epsilon() && std::isinf(bracket.upper)) {
    const Result<double> basic = basic_epsilon(cost, question.at);
    if (basic) bracket.upper = *basic;
  }
  return bracket;
}

}  // namespace

Result<ProvedBounds> pld_epsilon(const Cost& cost, double delta) {
  if (!(delta > 0 && delta < 1)) {
    return bad_input("delta must lie between 0 and 1", "delta", "give a number such as 1e-5");
  }
  return final_answer(cost, Question::epsilon_at(delta));
}

Result<ProvedBounds> pld_delta(const Cost& cost, double epsilon) {
  if (!(epsilon >= 0 && std::isfinite(epsilon))) {
    return bad_input("epsilon must be finite and at least 0", "epsilon", "give a number such as 1");
  }
  return final_answer(cost, Question::delta_at(epsilon));
}

}  // namespace tacit
