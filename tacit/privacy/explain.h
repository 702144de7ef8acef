#pragma once

#include <string>

#include "tacit/privacy/neighbours.h"

namespace tacit {

// What a guarantee means for one person, in numbers. All are upper bounds, rounded up, for any
// attacker with any knowledge and any computing power.
struct Guarantee {
  double epsilon = 0;
  double delta = 0;
};

// The largest belief that an attacker with prior belief `prior` in (0, 1) can hold after the
// release about what the neighbour relation hides (that the person's data was used; under replace,
// that it says this and not that), even where they know all other data:
//
//   prior e^epsilon / (1 - prior + prior e^epsilon).
//
// Proof for delta = 0: by Bayes' rule the odds change by the ratio of the answer's probabilities,
// which is at most e^epsilon. For delta > 0: two distributions that are (epsilon, delta)-close are
// mixtures (1 - delta) P' + delta P'' and (1 - delta) Q' + delta Q'' with P', Q' epsilon-close
// (Kairouz, Oh, Viswanath 2015). So the release differs with probability at most delta from one for
// which the bound holds for every answer. It does not follow that the bound fails for a share of at
// most delta of the answers: that is probabilistic DP, which asks for more (probabilistic.h).
double largest_posterior(const Guarantee& guarantee, double prior);

// The largest chance of a bad outcome (any event caused by the release) for a person whose chance
// is `chance` in [0, 1] without their data: min(e^epsilon chance + delta,
// 1 - e^-epsilon (1 - chance - delta)), the definition for the event and for its complement.
double largest_chance(const Guarantee& guarantee, double chance);

// What holds for a family of `size` together (Vadhan 2017):
// (size epsilon, delta (1 + e^epsilon + ... + e^((size - 1) epsilon))). A delta of 1 says nothing.
Guarantee for_family(const Guarantee& guarantee, unsigned size);

// All of this in plain words, for a terminal of 80 columns.
struct Question {
  double prior = 0.1;
  double chance = 0.01;
  unsigned family = 4;
};
std::string explain(const Guarantee& guarantee, Neighbours neighbours, const Question& question);

}  // namespace tacit
