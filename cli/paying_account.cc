#include "cli/paying_account.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace tacit::cli {
namespace {

std::vector<std::string> names_of(const std::vector<DeclaredDataset>& datasets) {
  std::vector<std::string> names;
  for (const DeclaredDataset& each : datasets) names.push_back(each.name);
  return names;
}

}  // namespace

Result<DeclaredDataset> chosen_dataset(const std::string& name, const Workspace& workspace) {
  if (!name.empty()) return workspace.dataset(name);
  if (workspace.datasets.size() == 1) return workspace.datasets.front();
  if (workspace.datasets.empty()) {
    return bad_input("this workspace declares no dataset", workspace.folder.string(),
                     "declare one in tacit.toml (docs/workspace.md), then run 'tacit init'");
  }
  return bad_input(fmt::format("the workspace has several datasets: {}",
                               fmt::join(names_of(workspace.datasets), ", ")),
                   "--dataset", "name the one you ask");
}

Result<Account> paying_account(const std::string& dataset, const std::string& as, AskedBy asked_by,
                               Ledger& ledger) {
  TACIT_ASSIGN_OR_RETURN(const std::vector<Account> accounts, ledger.accounts());
  const Account* own = nullptr;
  std::vector<std::string> analysts;
  for (const Account& account : accounts) {
    if (account.id.dataset != dataset) continue;
    if (account.id.analyst.empty()) own = &account;
    if (!account.id.analyst.empty()) analysts.push_back(account.id.analyst);
    if (!account.id.analyst.empty() && account.id.analyst == as) return account;
  }
  if (own == nullptr) {
    return bad_input(fmt::format("the dataset '{}' has no account yet", dataset), "ledger",
                     "run 'tacit init' in the workspace");
  }
  if (as.empty() && asked_by == AskedBy::kNamed && !analysts.empty()) {
    return bad_input(
        "say who asks", "--as",
        fmt::format("the analysts of '{}' are: {}", dataset, fmt::join(analysts, ", ")));
  }
  if (as.empty() || analysts.empty()) return *own;
  return bad_input(fmt::format("'{}' is no analyst of '{}'", as, dataset), "--as",
                   fmt::format("the analysts are: {}; the steward adds others to tacit.toml",
                               fmt::join(analysts, ", ")));
}

}  // namespace tacit::cli
