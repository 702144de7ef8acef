#include "python/src/torch/accounting.h"

#include <fmt/format.h>

#include <utility>

#include "tacit/privacy/accountant.h"
#include "tacit/privacy/calibration.h"

namespace tacit::python {
namespace {

Result<Cost> cost_of(const TakenSteps& taken) {
  TACIT_ASSIGN_OR_RETURN(Cost noise, Cost::leaf(cost::Gaussian{taken.noise_multiplier}));
  TACIT_ASSIGN_OR_RETURN(Cost step, Cost::poisson_sample(taken.sampling_rate, std::move(noise)));
  return Cost::repeat(taken.steps, std::move(step));
}

}  // namespace

Result<Cost> cost_of(const std::vector<TakenSteps>& taken) {
  std::vector<Cost> parts;
  for (const TakenSteps& each : taken) {
    if (each.steps == 0) continue;
    TACIT_ASSIGN_OR_RETURN(Cost cost, cost_of(each));
    parts.push_back(std::move(cost));
  }
  if (parts.empty()) return Cost::nothing();
  return Cost::compose(std::move(parts));
}

Result<double> epsilon_of(const std::vector<TakenSteps>& taken, double delta) {
  TACIT_ASSIGN_OR_RETURN(const Cost cost, cost_of(taken));
  if (cost == Cost::nothing()) return 0.0;
  TACIT_ASSIGN_OR_RETURN(const Proved proved, prove_epsilon(Accountant::kPld, cost, delta));
  return proved.upper;
}

Result<train::PrivateSgdPlan> calibrated_after(const std::vector<TakenSteps>& before,
                                               const train::PrivateSgdPlan& plan, double epsilon,
                                               double delta) {
  TACIT_ASSIGN_OR_RETURN(const double spent, epsilon_of(before, delta));
  if (spent >= epsilon) {
    return bad_input(fmt::format("what was done before has epsilon {:.4g} already", spent),
                     "target_epsilon", "ask for more, or begin with another engine");
  }
  TACIT_ASSIGN_OR_RETURN(const Cost first, cost_of(before));
  train::PrivateSgdPlan trial = plan;
  const auto cost_of_noise = [&](const Rational& noise) -> Result<Cost> {
    trial.noise_multiplier = noise;
    TACIT_ASSIGN_OR_RETURN(Cost then, trial.cost());
    return Cost::compose({first, std::move(then)});
  };
  TACIT_ASSIGN_OR_RETURN(const Calibrated calibrated,
                         calibrate({epsilon, delta}, Accountant::kPld, cost_of_noise));
  trial.noise_multiplier = calibrated.noise;
  return trial;
}

}  // namespace tacit::python
