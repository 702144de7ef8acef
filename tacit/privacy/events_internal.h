#pragma once

#include <vector>

#include "tacit/base/rational.h"
#include "tacit/privacy/cost.h"

namespace tacit {

// A cost as a list of (epsilon, delta) guarantees that compose adaptively, for the accountants that
// know nothing else of a mechanism (advanced.h, optimal_composition.h).
struct ApproximateEvent {
  Rational epsilon;
  Rational delta;
  Rational times = 1;
};

// The events of a cost. Gaussian noise and zero-concentrated guarantees have an epsilon for every
// delta; they are taken at `curve_delta`. Where that is 0 they are refused.
//
//   parallel     one event for the n-th of each part, as large as the largest (sorted by epsilon);
//                for replace neighbours a second, as large as the second largest (see pure.h)
//   samples      the sums of the part's epsilons and deltas, then (ln(1 + q (e^epsilon - 1)),
//                q delta) (Balle, Barthe, Gaboardi 2018): what runs on one sample is one mechanism
//   group        each event by approximate_group, Gaussian noise by its own sensitivity
Result<std::vector<ApproximateEvent>> approximate_events(const Cost& cost,
                                                         const Rational& curve_delta);

// Whether any event of the cost depends on curve_delta.
bool has_curve(const Cost& cost);

// Sums over the events, with their times.
ApproximateEvent basic_sum(const std::vector<ApproximateEvent>& events);

// What an (epsilon, delta) guarantee for one unit says of `size` units together (Vadhan 2017):
// (size epsilon, delta (1 + e^epsilon + ... + e^((size - 1) epsilon))), above. A delta that is no
// longer below 1 comes back as 1.
ApproximateEvent approximate_group(const Rational& epsilon, const Rational& delta,
                                   const Rational& size);

}  // namespace tacit
