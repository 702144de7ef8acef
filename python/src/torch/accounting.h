#pragma once

#include <cstdint>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/privacy/cost.h"
#include "tacit/train/private_sgd.h"

namespace tacit::python {

// Steps of one kind that were taken: Gaussian noise on a Poisson sample. A rate of 1 is all rows.
struct TakenSteps {
  Rational noise_multiplier;
  Rational sampling_rate;
  std::uint64_t steps = 0;
};

// What they cost one after the other.
Result<Cost> cost_of(const std::vector<TakenSteps>& taken);
// An epsilon that holds for all of them together; 0 where there were none.
Result<double> epsilon_of(const std::vector<TakenSteps>& taken, double delta);

// The plan with the least noise with which it and what was taken before keep to (epsilon, delta).
Result<train::PrivateSgdPlan> calibrated_after(const std::vector<TakenSteps>& before,
                                               const train::PrivateSgdPlan& plan, double epsilon,
                                               double delta);

}  // namespace tacit::python
