#include "cli/account_json.h"

#include <nlohmann/json.hpp>

#include "cli/accounts_table.h"
#include "cli/ledger_text.h"

namespace tacit::cli {

Result<nlohmann::json> account_json(const Account& account) {
  const Budget& budget = account.budget;
  TACIT_ASSIGN_OR_RETURN(const Spend spent, account.spent());
  TACIT_ASSIGN_OR_RETURN(const Spend left, account.remaining());
  nlohmann::json json = {{"account", account.id.to_string()},
                         {"dataset", account.id.dataset},
                         {"neighbours", std::string(name(account.neighbours))},
                         {"epsilon", budget.epsilon().approximate()},
                         {"delta", budget.delta().approximate()},
                         {"currency", budget.is_pure() ? "epsilon" : "renyi"},
                         {"orders", budget.orders()},
                         {"cap", to_json(budget.cap(), budget)},
                         {"spent", to_json(spent, budget)},
                         {"remaining", to_json(left, budget)},
                         {"parts", nlohmann::json::array()}};
  if (!account.id.analyst.empty()) json["analyst"] = account.id.analyst;
  json["epsilon_if_stopping_was_fixed"] = budget.epsilon_if_stopping_was_fixed(spent);
  for (std::size_t i = 0; i < account.parts.size(); ++i) {
    TACIT_ASSIGN_OR_RETURN(const Spend room, left_in_part(account, i));
    json["parts"].push_back({{"name", account.parts[i]},
                             {"spent", to_json(account.tally.parts[i], budget)},
                             {"remaining", to_json(room, budget)}});
  }
  return json;
}

}  // namespace tacit::cli
