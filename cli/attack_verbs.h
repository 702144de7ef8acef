#pragma once

#include <CLI/App.hpp>

#include "cli/command.h"

namespace tacit::cli {

// The verbs below 'tacit attack'.
void add_attack_block(CLI::App& attack, Session& session);

}  // namespace tacit::cli
