#include <CLI/CLI.hpp>  // all of it: where an App is made, its parts are

#include "cli/command.h"
#include "cli/program.h"
#include "cli/train_options.h"

namespace {

constexpr const char* kManual = R"(
The road of a release: plan what it costs, reserve that in the ledger, execute,
release the number with its interval.

Exit status: 0 done, 1 refused by the budget, 2 wrong usage or bad input,
3 the world failed (disk, engine, network).

Start with 'tacit demo', then 'tacit VERB --help'.)";

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Tacit: share what data teaches without sharing the data.", "tacit");
  tacit::cli::fit_help_to_screen(app);
  app.set_version_flag("--version", "tacit " TACIT_VERSION);
  app.require_subcommand(1);
  app.footer(kManual);

  tacit::cli::Session session;
  tacit::cli::add_demo(app, session);
  tacit::cli::add_init(app, session);
  tacit::cli::add_query(app, session);
  tacit::cli::add_plan(app, session);
  tacit::cli::add_learn(app, session);
  tacit::cli::add_train(app, session);
  tacit::cli::add_inspect(app, session);
  tacit::cli::add_hierarchy(app, session);
  tacit::cli::add_anonymize(app, session);
  tacit::cli::add_risk(app, session);
  tacit::cli::add_ledger(app, session);
  tacit::cli::add_epsilon(app, session);
  tacit::cli::add_noise(app, session);
  tacit::cli::add_attack(app, session);
  return tacit::cli::run_program(app, session, argc, argv);
}
