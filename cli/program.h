#pragma once

#include <CLI/App.hpp>

#include "cli/command.h"

namespace tacit::cli {

// Pages of the manual in 80 columns, of verbs that are added afterwards too.
void fit_help_to_screen(CLI::App& app);

// Adds --json and --workspace to a verb, or to a program of one purpose.
void add_shared_options(CLI::App& verb, Session& session);

// Reads the command line and runs the verb that it names: errors for people or as JSON on
// standard error. The exit status of the program.
int run_program(CLI::App& app, Session& session, int argc, char** argv);

}  // namespace tacit::cli
