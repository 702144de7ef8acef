#pragma once

#include <CLI/App.hpp>

#include "cli/command.h"

namespace tacit::cli {

// The verbs below 'tacit attack'.
void add_attack_block(CLI::App& attack, Session& session);
void add_attack_history(CLI::App& attack, Session& session);
void add_attack_linkage(CLI::App& attack, Session& session);
void add_attack_sums(CLI::App& attack, Session& session);
// Homogeneity, background knowledge, skewness, similarity.
void add_attacks_on_table(CLI::App& attack, Session& session);
void add_attack_composition(CLI::App& attack, Session& session);
void add_attack_minimality(CLI::App& attack, Session& session);
// The option --all of 'tacit attack' itself.
void add_attack_all(CLI::App& attack, Session& session);

}  // namespace tacit::cli
