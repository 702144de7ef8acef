#include "python/src/torch/run.h"

#include "tacit/train/durable_run.h"

namespace tacit::python {
namespace {

using train::PrivateMeans;
using train::PrivateMeansPlan;
using train::PrivateSgd;
using train::PrivateSgdPlan;

Result<Cost> cost_of_both(const PrivateSgdPlan& plan, const PrivateMeansPlan& means) {
  TACIT_ASSIGN_OR_RETURN(Cost of_run, plan.cost());
  TACIT_ASSIGN_OR_RETURN(Cost of_means, means.cost());
  return Cost::compose({std::move(of_run), std::move(of_means)});
}

}  // namespace

Result<void> TrainingAccount::check_room(const PrivateSgdPlan& plan) {
  TACIT_ASSIGN_OR_RETURN(const Cost cost, plan.cost());
  return account_.check_room(cost);
}

Result<PrivateSgd> TrainingAccount::begin(const PrivateSgdPlan& plan,
                                          std::vector<at::Tensor> parameters,
                                          const std::string& note) {
  TACIT_RETURN_IF_ERROR(PrivateSgd::check(plan, parameters));
  TACIT_ASSIGN_OR_RETURN(Cost cost, plan.cost());
  TACIT_ASSIGN_OR_RETURN(
      RunPermit permit,
      account_.reserve({.cost = std::move(cost), .note = note, .id = {}, .terms = {}}));
  return PrivateSgd::begin(plan, std::move(parameters), std::move(permit));
}

Result<PrivateSgd> TrainingAccount::begin_or_resume(const PrivateSgdPlan& plan,
                                                    std::vector<at::Tensor> parameters,
                                                    const RunFolder& folder,
                                                    const std::string& note) {
  const train::RunAccount payer{
      .account = account_.id(), .part = {}, .who = account_.who(), .note = note};
  return train::begin_or_resume(plan, std::move(parameters), account_.ledger(), payer, folder, {});
}

Result<std::pair<PrivateSgd, PrivateMeans>> TrainingAccount::begin_with_means(
    const PrivateSgdPlan& plan, std::vector<at::Tensor> parameters, const PrivateMeansPlan& means,
    const std::string& note) {
  TACIT_RETURN_IF_ERROR(PrivateSgd::check(plan, parameters));
  TACIT_RETURN_IF_ERROR(PrivateMeans::check(means));
  TACIT_ASSIGN_OR_RETURN(const Cost of_run, plan.cost());
  TACIT_ASSIGN_OR_RETURN(const Cost of_means, means.cost());
  TACIT_ASSIGN_OR_RETURN(Cost both, cost_of_both(plan, means));
  TACIT_ASSIGN_OR_RETURN(Permit permit, account_.reserve_once(std::move(both), note));
  TACIT_ASSIGN_OR_RETURN(Permit for_run, permit.take(of_run));
  TACIT_ASSIGN_OR_RETURN(Permit for_means, permit.take(of_means));
  TACIT_ASSIGN_OR_RETURN(auto run,
                         PrivateSgd::begin(plan, std::move(parameters), std::move(for_run)));
  TACIT_ASSIGN_OR_RETURN(auto told, PrivateMeans::begin(means, std::move(for_means)));
  return std::pair(std::move(run), std::move(told));
}

Result<std::pair<PrivateSgd, PrivateMeans>> TrainingAccount::begin_or_resume_with_means(
    const PrivateSgdPlan& plan, std::vector<at::Tensor> parameters, const PrivateMeansPlan& means,
    const RunFolder& folder, const std::string& note) {
  TACIT_RETURN_IF_ERROR(PrivateSgd::check(plan, parameters));
  TACIT_RETURN_IF_ERROR(PrivateMeans::check(means));
  TACIT_ASSIGN_OR_RETURN(const Cost of_run, plan.cost());
  if (!folder.has_checkpoint() &&
      !account_.has_paid(
          {.cost = of_run, .note = note, .id = folder.id(), .terms = plan.terms()})) {
    TACIT_ASSIGN_OR_RETURN(const Cost both, cost_of_both(plan, means));
    TACIT_RETURN_IF_ERROR(account_.check_room(both));
  }
  TACIT_ASSIGN_OR_RETURN(auto run, begin_or_resume(plan, std::move(parameters), folder, note));
  TACIT_ASSIGN_OR_RETURN(Cost of_means, means.cost());
  // The name must not begin with that of the run: the ledger finds both by their names. A telling
  // is claimed by itself, so that a kill loses none that was not begun.
  TACIT_ASSIGN_OR_RETURN(RunPermit permit, account_.reserve({.cost = std::move(of_means),
                                                             .note = "losses of " + note,
                                                             .id = "losses of " + folder.id(),
                                                             .terms = means.terms(),
                                                             .steps_a_claim = 1}));
  TACIT_ASSIGN_OR_RETURN(auto told, PrivateMeans::begin(means, std::move(permit)));
  return std::pair(std::move(run), std::move(told));
}

Result<std::string> TrainingAccount::certificate(const PrivateSgd& run,
                                                 const train::RunFacts& facts) {
  return train::certificate(run.plan(), facts, account_.ledger());
}

Result<PrivateMeans> TrainingAccount::begin_means(const PrivateMeansPlan& plan,
                                                  const std::string& note) {
  TACIT_RETURN_IF_ERROR(PrivateMeans::check(plan));
  TACIT_ASSIGN_OR_RETURN(const Cost cost, plan.cost());
  TACIT_ASSIGN_OR_RETURN(Permit permit, account_.reserve_once(cost, note));
  return PrivateMeans::begin(plan, std::move(permit));
}

}  // namespace tacit::python
