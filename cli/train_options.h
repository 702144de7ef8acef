#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/ledger_access.h"

namespace tacit::cli {

// What 'tacit train' is told beside the configuration. The command, which does without libtorch,
// hands it to the program tacit-train.
struct TrainOptions {
  std::string config;
  bool plan = false;
  bool resume = false;
  std::string certificate;
  Writer writer;

  void add_options(CLI::App& verb);
  // A command line that says the same.
  [[nodiscard]] std::vector<std::string> arguments(const Session& session) const;
};

// The page of the manual that both show.
const char* train_manual();

void add_train(CLI::App& app, Session& session);

}  // namespace tacit::cli
