#pragma once

#include <CLI/App.hpp>

#include "cli/command.h"

namespace tacit::cli {

// The verbs below 'tacit ledger'.
void add_ledger_show(CLI::App& ledger, Session& session);
void add_ledger_history(CLI::App& ledger, Session& session);
void add_ledger_export(CLI::App& ledger, Session& session);
void add_ledger_verify(CLI::App& ledger, Session& session);
void add_ledger_grant(CLI::App& ledger, Session& session);
void add_ledger_charge(CLI::App& ledger, Session& session);
void add_ledger_keygen(CLI::App& ledger, Session& session);

}  // namespace tacit::cli
