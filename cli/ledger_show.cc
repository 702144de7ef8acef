#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/account_json.h"
#include "cli/accounts_table.h"
#include "cli/command.h"
#include "cli/ledger_access.h"
#include "cli/ledger_text.h"
#include "cli/ledger_verbs.h"
#include "tacit/ledger/ledger.h"
#include "tacit/ledger/workspace_ledger.h"

namespace tacit::cli {
namespace {

constexpr const char* kManual = R"(
Shows each account, an analyst's as DATASET/ANALYST, in the currency it is kept
in: epsilon, or Rényi divergence at an order and a reserve of delta. 'left' is
what one more request may take; for a part of a dataset, one against that part.
Spent is rounded up, left is rounded down.

The cap is the guarantee. An epsilon for what is spent so far is true only where
the moment of looking was fixed in advance, and is labelled so.

Examples:
  tacit ledger show
  tacit ledger show patients/alice
  tacit ledger show --json)";

struct ShowOptions {
  std::string account;
};

// The label that an epsilon of a running account must carry.
Result<std::string> epsilon_lines(const std::vector<Account>& accounts) {
  std::string lines;
  for (const Account& account : accounts) {
    if (account.budget.is_pure()) continue;
    TACIT_ASSIGN_OR_RETURN(const Spend spent, account.spent());
    if (spent == account.budget.zero()) continue;
    lines += fmt::format("  {}: epsilon {:.4g}\n", account.id.to_string(),
                         account.budget.epsilon_if_stopping_was_fixed(spent));
  }
  if (lines.empty()) return lines;
  return "\nSpent so far, had the moment of looking been fixed in advance (the cap is the\n"
         "guarantee, this is not):\n" +
         lines;
}

Result<std::string> none_proved_lines(Ledger& ledger, const std::vector<Account>& accounts) {
  std::string lines;
  for (const Account& account : accounts) {
    if (!account.id.analyst.empty()) continue;
    TACIT_ASSIGN_OR_RETURN(const auto releases, ledger.none_proved(account.id.dataset));
    for (const Entry& release : releases) {
      lines += wrapped(
          fmt::format("{}: entry {}, {}, by {}. {}", account.id.dataset, release.sequence,
                      time_text(release.time), printable(release.who), printable(release.note)),
          2);
    }
  }
  if (lines.empty()) return lines;
  return "\nReleased with no guarantee proved; no budget accounts for these:\n" + lines;
}

std::string budget_lines(const std::vector<Account>& accounts) {
  std::string lines;
  for (const Account& account : accounts) {
    const bool is_add_remove = account.neighbours == Neighbours::kAddRemove;
    lines += fmt::format("{}: at most epsilon {}{}, {} one unit\n", account.id.to_string(),
                         account.budget.epsilon().to_string(),
                         account.budget.is_pure()
                             ? ""
                             : fmt::format(", delta {:g}", account.budget.delta().approximate()),
                         is_add_remove ? "adding or removing" : "replacing");
  }
  return lines;
}

Result<nlohmann::json> none_proved_json(Ledger& ledger, const std::vector<Account>& accounts) {
  nlohmann::json json = nlohmann::json::array();
  for (const Account& account : accounts) {
    if (!account.id.analyst.empty()) continue;
    TACIT_ASSIGN_OR_RETURN(const auto releases, ledger.none_proved(account.id.dataset));
    for (const Entry& release : releases) {
      json.push_back({{"dataset", account.id.dataset},
                      {"sequence", release.sequence},
                      {"who", release.who},
                      {"note", release.note}});
    }
  }
  return json;
}

// All accounts, or the one named; with a dataset, its analysts too.
Result<std::vector<Account>> chosen_accounts(Ledger& ledger, const std::string& name) {
  if (name.empty()) return ledger.accounts();
  TACIT_ASSIGN_OR_RETURN(const AccountId id, AccountId::parse(name));
  TACIT_ASSIGN_OR_RETURN(const Account one, ledger.account(id));
  if (!id.analyst.empty()) return std::vector{one};
  TACIT_ASSIGN_OR_RETURN(std::vector<Account> accounts, ledger.accounts());
  std::erase_if(accounts, [&](const Account& each) { return each.id.dataset != id.dataset; });
  return accounts;
}

Result<void> show(const ShowOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(const Workspace workspace, workspace_of(session));
  TACIT_ASSIGN_OR_RETURN(Ledger ledger, open_ledger(workspace));
  TACIT_ASSIGN_OR_RETURN(const auto accounts, chosen_accounts(ledger, options.account));
  TACIT_ASSIGN_OR_RETURN(const Head head, ledger.head());
  if (session.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const Account& account : accounts) {
      TACIT_ASSIGN_OR_RETURN(nlohmann::json json, account_json(account));
      list.push_back(std::move(json));
    }
    TACIT_ASSIGN_OR_RETURN(nlohmann::json unproved, none_proved_json(ledger, accounts));
    session.print(nlohmann::json{{"accounts", std::move(list)},
                                 {"none_proved", std::move(unproved)},
                                 {"head", to_json(head)}});
    return {};
  }
  if (accounts.empty()) {
    session.print(
        std::string("No accounts yet: declare a dataset in tacit.toml and run 'tacit init'."));
    return {};
  }
  TACIT_ASSIGN_OR_RETURN(const std::string table, accounts_table(accounts));
  TACIT_ASSIGN_OR_RETURN(const std::string epsilons, epsilon_lines(accounts));
  TACIT_ASSIGN_OR_RETURN(const std::string unproved, none_proved_lines(ledger, accounts));
  session.print(fmt::format("{}\n{}{}{}\nhead {} {}", budget_lines(accounts), table, epsilons,
                            unproved, head.sequence, head.digest.hex()));
  return {};
}

}  // namespace

void add_ledger_show(CLI::App& ledger, Session& session) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* const verb = add_verb(ledger, session, "show", "Accounts: cap, spent, left", kManual);
  verb->add_option("account", options->account, "DATASET or DATASET/ANALYST (default: all)")
      ->type_name("ACCOUNT");
  session.on(verb, [options, &session] { return show(*options, session); });
}

}  // namespace tacit::cli
