#include "cli/command.h"
#include "cli/ledger_verbs.h"

namespace tacit::cli {
namespace {

constexpr const char* kManual = R"(
The ledger remembers every charge against a dataset's privacy budget. Charges
are entered before data is read, are never taken back, and hang together by a
chain of hashes. What a chain can prove, and what it cannot, is in
docs/ledger.md.

Examples:
  tacit ledger show                      what is spent, and what is left
  tacit ledger history patients          who asked what, when, at what cost
  tacit ledger verify --head HASH        is the log whole, and ours?
  tacit ledger grant patients --epsilon 4 --note "ethics board, 3 May"
  tacit ledger charge patients --cost cost.json --note "table 3 of the report")";

}  // namespace

void add_ledger(CLI::App& app, Session& session) {
  CLI::App* const ledger =
      app.add_subcommand("ledger", "What was spent of each budget, by whom, for what");
  ledger->require_subcommand(1);
  ledger->footer(kManual);
  add_ledger_show(*ledger, session);
  add_ledger_history(*ledger, session);
  add_ledger_export(*ledger, session);
  add_ledger_verify(*ledger, session);
  add_ledger_grant(*ledger, session);
  add_ledger_charge(*ledger, session);
  add_ledger_keygen(*ledger, session);
}

}  // namespace tacit::cli
