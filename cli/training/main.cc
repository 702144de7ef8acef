#include <CLI/App.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/program.h"
#include "cli/train_options.h"
#include "cli/training/run.h"

int main(int argc, char** argv) {
  CLI::App app("Train a model on private rows or images.", "tacit-train");
  tacit::cli::fit_help_to_screen(app);
  app.set_version_flag("--version", "tacit-train " TACIT_VERSION);
  app.footer(tacit::cli::train_manual());

  tacit::cli::Session session;
  tacit::cli::TrainOptions options;
  tacit::cli::add_shared_options(app, session);
  options.add_options(app);
  session.on(&app, [&] { return tacit::training::run(options, session); });
  return tacit::cli::run_program(app, session, argc, argv);
}
