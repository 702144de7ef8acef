#include "python/src/torch/accounting.h"

#include <fmt/format.h>

#include <utility>

#include "tacit/privacy/calibration.h"

namespace tacit::python {
namespace {

using train::PrivateSgdPlan;
using train::Sampling;

// As PrivateSgdPlan::accountant has it: batches of a fixed size alone are under replace neighbours.
Accountant accountant_for(const Cost& cost) {
  return cost.neighbours() == Neighbours::kReplace ? Accountant::kRdp : Accountant::kPld;
}

// What one step costs by its overflow, which a plan adds up for all of them.
Result<std::optional<Cost>> overflow_of(const PrivateSgdPlan& plan,
                                        const PrivateSgdPlan::Group& group) {
  if (plan.sampling.kind != Sampling::Kind::kTruncated) return std::nullopt;
  TACIT_ASSIGN_OR_RETURN(
      const Rational delta,
      train::overflow_probability(plan.examples, group.rate, plan.sampling.largest_batch));
  if (delta.sign() == 0) return std::nullopt;
  TACIT_ASSIGN_OR_RETURN(Cost cost, Cost::leaf(cost::Approximate{0, delta}));
  return cost;
}

// Deltas alone add up, as a plan has them: a repetition of them is read less sharply.
Result<Cost> repeated(const TakenSteps& taken) {
  const auto* const leaf = std::get_if<cost::Approximate>(&taken.cost.node());
  if (leaf == nullptr || leaf->epsilon.sign() != 0) return Cost::repeat(taken.steps, taken.cost);
  const Rational delta = leaf->delta * Rational(static_cast<std::int64_t>(taken.steps));
  return Cost::leaf(cost::Approximate{0, delta}, taken.cost.neighbours());
}

}  // namespace

Result<std::vector<StepLaw>> laws_of(const PrivateSgdPlan& plan) {
  std::vector<StepLaw> laws;
  for (const PrivateSgdPlan::Group& group : plan.groups()) {
    TACIT_ASSIGN_OR_RETURN(Cost step, plan.step_cost(group));
    TACIT_ASSIGN_OR_RETURN(auto overflow, overflow_of(plan, group));
    laws.push_back({.cost = std::move(step),
                    .steps = group.steps,
                    .noise_multiplier = group.noise,
                    .sampling_rate = group.rate,
                    .overflow = std::move(overflow)});
  }
  return laws;
}

Result<Cost> cost_of(const std::vector<TakenSteps>& taken) {
  std::vector<Cost> parts;
  for (const TakenSteps& each : taken) {
    if (each.steps == 0) continue;
    TACIT_ASSIGN_OR_RETURN(Cost cost, repeated(each));
    parts.push_back(std::move(cost));
  }
  if (parts.empty()) return Cost::nothing();
  return Cost::compose(std::move(parts));
}

Result<double> epsilon_of(const std::vector<TakenSteps>& taken, double delta) {
  TACIT_ASSIGN_OR_RETURN(const Cost cost, cost_of(taken));
  if (cost == Cost::nothing()) return 0.0;
  TACIT_ASSIGN_OR_RETURN(const Proved proved, prove_epsilon(accountant_for(cost), cost, delta));
  return proved.upper;
}

Result<PrivateSgdPlan> calibrated_after(const std::vector<TakenSteps>& before,
                                        const PrivateSgdPlan& plan, double epsilon, double delta) {
  TACIT_RETURN_IF_ERROR(plan.check());
  TACIT_ASSIGN_OR_RETURN(const double spent, epsilon_of(before, delta));
  if (spent >= epsilon) {
    return bad_input(fmt::format("what was done before has epsilon {:.4g} already", spent),
                     "target_epsilon", "ask for more, or begin with another engine");
  }
  if (spent == 0) return plan.calibrated_to(epsilon, delta);
  TACIT_ASSIGN_OR_RETURN(const Cost first, cost_of(before));
  PrivateSgdPlan trial = plan;
  const auto cost_of_noise = [&](const Rational& noise) -> Result<Cost> {
    trial.noise_multiplier = noise;
    TACIT_ASSIGN_OR_RETURN(Cost then, trial.cost());
    return Cost::compose({first, std::move(then)});
  };
  TACIT_ASSIGN_OR_RETURN(const Calibrated calibrated,
                         calibrate({epsilon, delta}, plan.accountant(), cost_of_noise));
  trial.noise_multiplier = calibrated.noise;
  return trial;
}

}  // namespace tacit::python
