#pragma once

#include <utility>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/learn/pate/hindsight.h"
#include "tacit/mechanisms/gaussian/gaussian.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/secure_stream.h"

namespace tacit::learn {

// How the cost in hindsight, which depends on votes, is released. All public, and fixed before
// votes are seen.
struct SanitiserPlan {
  // The Rényi order at which costs are added up.
  double order = 25;
  // By how much the logarithm of the sensitivity may differ between neighbours.
  Rational smoothness = Rational(1) / 50;
  // What it costs, as zero-concentrated differential privacy, and the delta that pays for the case
  // that the sensitivity is guessed too low.
  Rational rho = Rational(1) / 100;
  Rational delta = Rational(1) / 100'000'000;
};

// Releases what a run cost in hindsight, with noise for its smooth sensitivity (proof.md, theorem
// 3). Immutable after creation; may be shared between threads.
class Sanitiser {
 public:
  // Refuses a smoothness below 10^-5, a rho or delta that is not above 0, and a delta of 1 and
  // more.
  static Result<Sanitiser> create(const SanitiserPlan& plan);

  [[nodiscard]] const SanitiserPlan& plan() const { return plan_; }
  [[nodiscard]] const Cost& cost() const { return cost_; }

  // The Rényi divergence at the plan's order of all votes in the record: at least the true one with
  // probability 1 - 10^-9. Consumes the permit, which must be for cost(). The record must be of a
  // table of that order, and cost fewer than 2^62 of its units.
  Result<double> release(const VoteRecord& record, Permit&& permit, SecureStream& stream) const;

 private:
  Sanitiser(SanitiserPlan plan, GaussianMechanism scale, DiscreteGaussianMechanism value,
            Cost guess, Cost cost);

  SanitiserPlan plan_;
  GaussianMechanism scale_;          // for the logarithm of the sensitivity
  DiscreteGaussianMechanism value_;  // for the cost in hindsight
  Cost guess_;                       // of a sensitivity guessed too low
  Cost cost_;
};

}  // namespace tacit::learn
