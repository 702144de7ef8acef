#include "tacit/ledger/workspace_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "tacit/ledger/postgres/postgres_store.h"
#include "tacit/ledger/sqlite/sqlite_store.h"

namespace tacit {
namespace {

Result<std::unique_ptr<Store>> open_or_make(const PostgresLedger& server, bool may_make) {
  const PostgresOptions options{.schema = server.schema};
  auto opened = open_postgres_store(server.uri, options);
  if (opened || opened.error().kind != ErrorKind::kBadInput || !may_make) return opened;
  auto made = create_postgres_store(server.uri, options);
  // What is there after all was refused for a reason of its own, such as a newer format.
  return made || made.error().kind != ErrorKind::kBadInput ? std::move(made) : std::move(opened);
}

Result<std::unique_ptr<Store>> open_or_make(const Workspace& workspace, bool may_make) {
  if (const auto* const server = std::get_if<PostgresLedger>(&workspace.ledger)) {
    return open_or_make(*server, may_make);
  }
  const std::filesystem::path file = workspace.ledger_file();
  std::error_code error;
  const bool is_absent = !std::filesystem::exists(file, error);
  return is_absent && may_make ? create_sqlite_store(file) : open_sqlite_store(file);
}

// A store without a first entry is what a crash leaves between the store and the ledger in it.
Result<Ledger> open_or_begin(const Workspace& workspace, bool may_begin, const std::string& who,
                             Ledger::Options options, bool& began) {
  TACIT_ASSIGN_OR_RETURN(auto store, open_or_make(workspace, may_begin));
  TACIT_ASSIGN_OR_RETURN(const Head head, store->head());
  began = head.sequence == 0 && may_begin;
  return began ? Ledger::create(std::move(store), who, std::move(options))
               : Ledger::open(std::move(store), std::move(options));
}

// The accounts a dataset declares, its own first.
class AccountOpener {
 public:
  static Result<AccountOpener> look(Ledger& ledger, std::string who) {
    TACIT_ASSIGN_OR_RETURN(const std::vector<Account> accounts, ledger.accounts());
    AccountOpener opener(ledger, std::move(who));
    for (const Account& account : accounts) opener.known_.push_back(account.id);
    return opener;
  }

  Result<void> open(const DeclaredDataset& dataset) {
    const AccountId own{.dataset = dataset.name, .analyst = {}};
    if (!knows(own)) {
      TACIT_ASSIGN_OR_RETURN(const Budget budget, to_budget(dataset.budget));
      TACIT_RETURN_IF_ERROR(ledger_.create_dataset(
          {.dataset = dataset.name,
           .neighbours = dataset.neighbours,
           .budget = budget,
           .parts = dataset.parts.names,
           .who = who_,
           .note = dataset.parts.by.empty() ? "" : "parts by " + dataset.parts.by}));
      opened_.push_back(own);
    }
    for (const DeclaredAnalyst& analyst : dataset.analysts) {
      const AccountId id{.dataset = dataset.name, .analyst = analyst.name};
      if (knows(id)) continue;
      TACIT_ASSIGN_OR_RETURN(const Budget budget, to_budget(analyst.budget));
      TACIT_RETURN_IF_ERROR(
          ledger_.create_analyst({.account = id, .budget = budget, .who = who_, .note = {}}));
      opened_.push_back(id);
    }
    return {};
  }

  [[nodiscard]] std::vector<AccountId> opened() && { return std::move(opened_); }

 private:
  AccountOpener(Ledger& ledger, std::string who) : ledger_(ledger), who_(std::move(who)) {}

  [[nodiscard]] bool knows(const AccountId& id) const {
    return std::ranges::find(known_, id) != known_.end();
  }

  Ledger& ledger_;
  std::string who_;
  std::vector<AccountId> known_;
  std::vector<AccountId> opened_;
};

}  // namespace

Result<std::unique_ptr<Store>> open_store(const Workspace& workspace) {
  return open_or_make(workspace, false);
}

Result<Ledger> open_ledger(const Workspace& workspace, Ledger::Options options) {
  TACIT_ASSIGN_OR_RETURN(auto store, open_store(workspace));
  return Ledger::open(std::move(store), std::move(options));
}

Result<Budget> to_budget(const DeclaredBudget& declared) {
  const auto& [epsilon, delta, orders, caps, reserve] = declared;
  if (!delta) return Budget::pure(epsilon);
  if (orders.empty()) return Budget::approximate(epsilon, *delta, reserve);
  if (caps.empty()) return Budget::at_orders(epsilon, *delta, reserve, orders);
  if (caps.size() != orders.size()) {
    return bad_input("a budget needs one cap for each of its orders", "caps");
  }
  std::vector<CurvePoint> curve;
  for (std::size_t i = 0; i < orders.size(); ++i) curve.push_back({orders[i], caps[i]});
  return Budget::with_curve(epsilon, *delta, reserve.value_or(*delta / Rational(2)), curve);
}

Result<Founding> found_ledger(const Workspace& workspace, bool may_begin, const std::string& who,
                              Ledger::Options options) {
  // Budgets that cannot be are refused before anything is made.
  for (const DeclaredDataset& dataset : workspace.datasets) {
    TACIT_RETURN_IF_ERROR(to_budget(dataset.budget));
    for (const DeclaredAnalyst& analyst : dataset.analysts) {
      TACIT_RETURN_IF_ERROR(to_budget(analyst.budget));
    }
  }
  Founding founding;
  TACIT_ASSIGN_OR_RETURN(
      Ledger ledger, open_or_begin(workspace, may_begin, who, std::move(options), founding.began));
  TACIT_ASSIGN_OR_RETURN(AccountOpener opener, AccountOpener::look(ledger, who));
  for (const DeclaredDataset& dataset : workspace.datasets) {
    TACIT_RETURN_IF_ERROR(opener.open(dataset));
  }
  founding.opened = std::move(opener).opened();
  TACIT_ASSIGN_OR_RETURN(founding.head, ledger.head());
  return founding;
}

}  // namespace tacit
