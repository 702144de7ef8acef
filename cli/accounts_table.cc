#include "cli/accounts_table.h"

#include <fmt/format.h>

#include "cli/ledger_text.h"
#include "cli/table.h"

namespace tacit::cli {
namespace {

constexpr std::size_t kAccountWidth = 26;

// One line of the table a tracked order, and one for delta.
void add_rows(Table& table, const std::string& title, const Budget& budget, bool with_cap,
              const Spend& spent, const Spend& left) {
  const Spend& cap = budget.cap();
  std::string name = abbreviated(title, kAccountWidth);
  for (std::size_t i = 0; i < cap.divergences.size(); ++i) {
    table.add({name, budget.is_pure() ? "epsilon" : fmt::format("Rényi {:.5g}", budget.orders()[i]),
               with_cap ? left_text(cap.divergences[i]) : "", spent_text(spent.divergences[i]),
               left_text(left.divergences[i])});
    name.clear();
  }
  if (budget.is_pure()) return;
  table.add({"", "delta", with_cap ? left_text(cap.delta) : "", spent_text(spent.delta),
             left_text(left.delta)});
}

Result<void> add_account(Table& table, const Account& account) {
  TACIT_ASSIGN_OR_RETURN(const Spend spent, account.spent());
  TACIT_ASSIGN_OR_RETURN(const Spend left, account.remaining());
  add_rows(table, account.id.to_string(), account.budget, true, spent, left);
  for (std::size_t i = 0; i < account.parts.size(); ++i) {
    TACIT_ASSIGN_OR_RETURN(const Spend room, left_in_part(account, i));
    add_rows(table, "  part " + account.parts[i], account.budget, false, account.tally.parts[i],
             room);
  }
  return {};
}

}  // namespace

// Under add/remove neighbours a unit lies in one
// part; under replace neighbours it may move to the part charged most of the others.
Result<Spend> left_in_part(const Account& account, std::size_t part) {
  TACIT_ASSIGN_OR_RETURN(const Spend spent, account.spent());
  const Spend& cap = account.budget.cap();
  if (!spent.fits(cap)) return account.budget.zero();
  TACIT_ASSIGN_OR_RETURN(Spend reached, account.tally.whole.plus(account.tally.parts[part]));
  if (account.neighbours == Neighbours::kReplace) {
    Spend other = account.budget.zero();
    for (std::size_t i = 0; i < account.tally.parts.size(); ++i) {
      if (i != part) other = other.largest(account.tally.parts[i]);
    }
    TACIT_ASSIGN_OR_RETURN(reached, reached.plus(other));
  }
  return cap.less(reached);
}

Result<std::string> accounts_table(const std::vector<Account>& accounts) {
  Table table({{.title = "account"},
               {.title = "kept in"},
               {.title = "cap", .align = Table::Align::kRight},
               {.title = "spent", .align = Table::Align::kRight},
               {.title = "left", .align = Table::Align::kRight}});
  for (const Account& account : accounts) TACIT_RETURN_IF_ERROR(add_account(table, account));
  return table.to_string();
}

}  // namespace tacit::cli
