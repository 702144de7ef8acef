#include "python/src/paying_account.h"

#include <array>
#include <utility>

#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/workspace.h"
#include "tacit/ledger/workspace_ledger.h"

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
  // What is learnt here has little delta of its own: nearly all of it is left to the conversion.
  const Rational reserve = whole_delta / Rational(100);
  for (const int tenths : std::array{10, 11, 12, 13, 15, 20, 30, 50, 100}) {
    TACIT_ASSIGN_OR_RETURN(
        Budget budget,
        Budget::approximate(least * Rational(tenths) / Rational(10), whole_delta, reserve));
    TACIT_ASSIGN_OR_RETURN(const Spend price, budget.price(cost));
    if (price.fits(budget.cap())) return budget;
  }
  return over_budget("the ledger proves no bound near the epsilon of this run", "noise",
                     "add noise, or ask for less");
}

}  // namespace

Result<PayingAccount> PayingAccount::of_workspace(const std::string& place,
                                                  const std::string& account, std::string who) {
  TACIT_ASSIGN_OR_RETURN(const Workspace workspace, Workspace::read(place));
  TACIT_ASSIGN_OR_RETURN(AccountId id, AccountId::parse(account));
  TACIT_ASSIGN_OR_RETURN(Ledger ledger, open_ledger(workspace));
  TACIT_RETURN_IF_ERROR(ledger.account(id));
  return PayingAccount(std::move(ledger), std::move(id), std::move(who));
}

Result<PayingAccount> PayingAccount::in_file(const OwnAccount& account, std::string who) {
  TACIT_ASSIGN_OR_RETURN(AccountId id, AccountId::parse(account.name));
  TACIT_ASSIGN_OR_RETURN(const Budget budget,
                         budget_for(account.cost, account.epsilon, account.delta));
  TACIT_ASSIGN_OR_RETURN(Ledger ledger, file_ledger(account.file, who));
  if (ledger.account(id)) return PayingAccount(std::move(ledger), std::move(id), std::move(who));
  TACIT_RETURN_IF_ERROR(ledger.create_dataset({.dataset = id.dataset,
                                               .neighbours = account.cost.neighbours(),
                                               .budget = budget,
                                               .parts = {},
                                               .who = who,
                                               .note = account.note}));
  return PayingAccount(std::move(ledger), std::move(id), std::move(who));
}

Result<void> PayingAccount::check_room(const Cost& cost) {
  // An analyst's charge is the dataset's too.
  for (const AccountId& id : {account_, AccountId{.dataset = account_.dataset, .analyst = {}}}) {
    TACIT_ASSIGN_OR_RETURN(const Account account, ledger_.account(id));
    TACIT_RETURN_IF_ERROR(account.check_neighbours(cost));
    TACIT_ASSIGN_OR_RETURN(const Spend price, account.budget.price(cost));
    TACIT_ASSIGN_OR_RETURN(const Spend left, account.remaining());
    if (price.fits(left)) continue;
    return over_budget("the account has too little left", id.to_string(),
                       "ask for less, or let the steward raise the cap");
  }
  return {};
}

Result<Permit> PayingAccount::reserve_once(Cost cost, const std::string& note) {
  return ledger_.reserve(request(std::move(cost), note));
}

Ledger::Request PayingAccount::request(Cost cost, const std::string& note) const {
  return {.account = account_, .part = {}, .cost = std::move(cost), .who = who_, .note = note};
}

bool PayingAccount::has_paid(const Run& run) {
  return run.id && RunPermit::resume(ledger_, request(run.cost, run.note), *run.id, run.terms, {})
                       .has_value();
}

Result<RunPermit> PayingAccount::reserve(const Run& run) {
  if (run.id) {
    return RunPermit::reserve_or_resume(ledger_, request(run.cost, run.note), *run.id, run.terms,
                                        {.steps_a_claim = run.steps_a_claim});
  }
  TACIT_ASSIGN_OR_RETURN(Permit permit, reserve_once(run.cost, run.note));
  return RunPermit::of_process(std::move(permit));
}

}  // namespace tacit::python
