#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/ledger/run_permit.h"
#include "tacit/privacy/accountant.h"
#include "tacit/privacy/cost.h"
#include "tacit/train/adaptive_clipping.h"
#include "tacit/train/batch_sampler.h"
#include "tacit/train/clipping.h"
#include "tacit/train/mixed_precision.h"
#include "tacit/train/schedule.h"

namespace tacit::train {

// All that decides the privacy of a run of private stochastic gradient descent (Abadi, Chu,
// Goodfellow, McMahan, Mironov, Talwar, Zhang 2016). Public, and fixed before data is touched.
struct PrivateSgdPlan {
  // Factors by step of the fields of the same names.
  struct Schedules {
    Schedule rate;
    Schedule bound;
    Schedule noise;
    bool operator==(const Schedules&) const = default;
  };
  // Steps in a row that are alike.
  struct Group {
    std::uint64_t steps = 0;
    Rational rate;
    double bound = 0;
    Rational noise;
  };

  // The number of examples. Neighbours have one example more or less; the number that is written
  // here is public and goes into rate and step size only. (Batches of a fixed size: it is exact,
  // and neighbours have one example replaced. Truncated ones: it is exact for one of the two.)
  std::uint64_t examples = 0;
  // The probability with which each example goes into a batch.
  Rational sampling_rate;
  std::uint64_t steps = 0;
  // The standard deviation of the noise over what one example can change: the clipping bound, or
  // twice that where it is replaced.
  Rational noise_multiplier;
  Clipping clipping;
  Sampling sampling;
  Schedules schedules;
  // The bound follows the norms, beginning with that of `clipping`. Of flat clipping alone.
  std::optional<AdaptiveClipping> adaptive;
  // Forward and backward passes may run in half precision. Of batches with a largest size alone:
  // truncated ones, and such of a fixed size.
  std::optional<MixedPrecision> mixed_precision;

  // The rate for batches of `batch` examples in expectation.
  static Result<Rational> rate_for(std::uint64_t batch, std::uint64_t examples);
  // The plan with the least noise that keeps to (epsilon, delta) by the plan's accountant.
  Result<PrivateSgdPlan> calibrated_to(double epsilon, double delta) const;

  // Refuses, by name, what has no meaning.
  [[nodiscard]] Result<void> check() const;
  [[nodiscard]] std::vector<Group> groups() const;
  // What sums of gradients are divided by, at the first step: never the size that was drawn.
  [[nodiscard]] Rational expected_batch_size() const;
  [[nodiscard]] Result<Cost> step_cost(const Group& group) const;
  // What a ledger is asked to reserve.
  [[nodiscard]] Result<Cost> cost() const;
  // Privacy loss distributions; Rényi for batches of a fixed size.
  [[nodiscard]] Accountant accountant() const;
  // Of the whole run, proved by that accountant.
  [[nodiscard]] Result<Proved> epsilon(double delta) const;
  // What a run by this plan is bound to beside its cost (RunPermit).
  [[nodiscard]] RunTerms terms() const;
};

}  // namespace tacit::train
