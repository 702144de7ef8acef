#include "python/src/torch/run.h"

#include <array>

#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/workspace.h"
#include "tacit/ledger/workspace_ledger.h"
#include "tacit/train/durable_run.h"

namespace tacit::python {
namespace {

Result<Ledger> file_ledger(const std::filesystem::path& file, const std::string& who) {
  std::error_code error;
  if (std::filesystem::exists(file, error)) {
    TACIT_ASSIGN_OR_RETURN(auto store, open_sqlite_store(file));
    return Ledger::open(std::move(store));
  }
  std::filesystem::create_directories(file.parent_path(), error);
  if (error) {
    return world_failed("the folder of the ledger cannot be made", file.parent_path().string(),
                        "give a workspace, or set XDG_DATA_HOME to a folder of yours");
  }
  TACIT_ASSIGN_OR_RETURN(auto store, create_sqlite_store(file));
  return Ledger::create(std::move(store), who);
}

Result<Budget> budget_for(const Cost& cost, double epsilon, double delta) {
  TACIT_ASSIGN_OR_RETURN(const Rational least, Rational::decimal(epsilon));
  TACIT_ASSIGN_OR_RETURN(const Rational whole_delta, Rational::decimal(delta));
  // Training has no delta of its own: nearly all of it is left to the conversion.
  const Rational reserve = whole_delta / Rational(100);
  for (const int tenths : std::array{10, 11, 12, 13, 15, 20, 30, 50, 100}) {
    TACIT_ASSIGN_OR_RETURN(
        Budget budget,
        Budget::approximate(least * Rational(tenths) / Rational(10), whole_delta, reserve));
    TACIT_ASSIGN_OR_RETURN(const Spend price, budget.price(cost));
    if (price.fits(budget.cap())) return budget;
  }
  return over_budget("the ledger proves no bound near the epsilon of this run", "noise_multiplier",
                     "add noise, or take fewer steps");
}

}  // namespace

Result<std::unique_ptr<TrainingAccount>> TrainingAccount::of_workspace(const std::string& place,
                                                                       const std::string& account,
                                                                       std::string who) {
  TACIT_ASSIGN_OR_RETURN(const Workspace workspace, Workspace::read(place));
  TACIT_ASSIGN_OR_RETURN(AccountId id, AccountId::parse(account));
  TACIT_ASSIGN_OR_RETURN(Ledger ledger, open_ledger(workspace));
  TACIT_RETURN_IF_ERROR(ledger.account(id));
  return std::unique_ptr<TrainingAccount>(
      new TrainingAccount(std::move(ledger), std::move(id), std::move(who)));
}

Result<std::unique_ptr<TrainingAccount>> TrainingAccount::in_file(const std::filesystem::path& file,
                                                                  const std::string& name,
                                                                  std::string who, double epsilon,
                                                                  double delta, const Cost& cost) {
  TACIT_ASSIGN_OR_RETURN(AccountId id, AccountId::parse(name));
  TACIT_ASSIGN_OR_RETURN(const Budget budget, budget_for(cost, epsilon, delta));
  TACIT_ASSIGN_OR_RETURN(Ledger ledger, file_ledger(file, who));
  if (!ledger.account(id)) {
    TACIT_RETURN_IF_ERROR(ledger.create_dataset({.dataset = id.dataset,
                                                 .neighbours = Neighbours::kAddRemove,
                                                 .budget = budget,
                                                 .parts = {},
                                                 .who = who,
                                                 .note = "training, without a workspace"}));
  }
  return std::unique_ptr<TrainingAccount>(
      new TrainingAccount(std::move(ledger), std::move(id), std::move(who)));
}

Result<Permit> TrainingAccount::reserve(Cost cost, const std::string& note) {
  return ledger_.reserve(
      {.account = account_, .part = {}, .cost = std::move(cost), .who = who_, .note = note});
}

Result<train::PrivateSgd> TrainingAccount::begin(const train::PrivateSgdPlan& plan,
                                                 std::vector<at::Tensor> parameters,
                                                 const std::string& note) {
  TACIT_RETURN_IF_ERROR(train::PrivateSgd::check(plan, parameters));
  TACIT_ASSIGN_OR_RETURN(const Cost cost, plan.cost());
  TACIT_ASSIGN_OR_RETURN(Permit permit, reserve(cost, note));
  return train::PrivateSgd::begin(plan, std::move(parameters), std::move(permit));
}

Result<train::PrivateSgd> TrainingAccount::begin_or_resume(const train::PrivateSgdPlan& plan,
                                                           std::vector<at::Tensor> parameters,
                                                           const RunFolder& folder,
                                                           const std::string& note) {
  const train::RunAccount payer{.account = account_, .part = {}, .who = who_, .note = note};
  return train::begin_or_resume(plan, std::move(parameters), ledger_, payer, folder, {});
}

Result<std::pair<train::PrivateSgd, train::PrivateMeans>> TrainingAccount::begin_with_means(
    const train::PrivateSgdPlan& plan, std::vector<at::Tensor> parameters,
    const train::PrivateMeansPlan& means, const std::string& note) {
  TACIT_RETURN_IF_ERROR(train::PrivateSgd::check(plan, parameters));
  TACIT_RETURN_IF_ERROR(train::PrivateMeans::check(means));
  TACIT_ASSIGN_OR_RETURN(const Cost of_run, plan.cost());
  TACIT_ASSIGN_OR_RETURN(const Cost of_means, means.cost());
  TACIT_ASSIGN_OR_RETURN(Cost both, Cost::compose({of_run, of_means}));
  TACIT_ASSIGN_OR_RETURN(Permit permit, reserve(std::move(both), note));
  TACIT_ASSIGN_OR_RETURN(Permit for_run, permit.take(of_run));
  TACIT_ASSIGN_OR_RETURN(Permit for_means, permit.take(of_means));
  TACIT_ASSIGN_OR_RETURN(auto run,
                         train::PrivateSgd::begin(plan, std::move(parameters), std::move(for_run)));
  TACIT_ASSIGN_OR_RETURN(auto told, train::PrivateMeans::begin(means, std::move(for_means)));
  return std::pair(std::move(run), std::move(told));
}

Result<train::PrivateMeans> TrainingAccount::begin_means(const train::PrivateMeansPlan& plan,
                                                         const std::string& note) {
  TACIT_RETURN_IF_ERROR(train::PrivateMeans::check(plan));
  TACIT_ASSIGN_OR_RETURN(const Cost cost, plan.cost());
  TACIT_ASSIGN_OR_RETURN(Permit permit, reserve(cost, note));
  return train::PrivateMeans::begin(plan, std::move(permit));
}

}  // namespace tacit::python
