#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/privacy/accountant.h"
#include "tacit/privacy/cost.h"
#include "tacit/train/plan.h"

namespace tacit::python {

// Steps that are alike: what each costs by itself, and how many there are. Noise multiplier and
// rate are told with them.
struct StepLaw {
  Cost cost;
  std::uint64_t steps = 0;
  Rational noise_multiplier;
  Rational sampling_rate;
  // What each costs beside that: the delta of a batch that is cut off.
  std::optional<Cost> overflow;
};

// The steps of a plan, in their order.
Result<std::vector<StepLaw>> laws_of(const train::PrivateSgdPlan& plan);

// Steps that were taken, or will be.
struct TakenSteps {
  Cost cost;
  std::uint64_t steps = 0;
};

// What they cost one after the other. Refuses steps under different neighbour relations.
Result<Cost> cost_of(const std::vector<TakenSteps>& taken);
// An epsilon that holds for all of them together; 0 where there were none.
Result<double> epsilon_of(const std::vector<TakenSteps>& taken, double delta);

// The plan with the least noise with which it and what was taken before keep to (epsilon, delta).
Result<train::PrivateSgdPlan> calibrated_after(const std::vector<TakenSteps>& before,
                                               const train::PrivateSgdPlan& plan, double epsilon,
                                               double delta);

}  // namespace tacit::python
