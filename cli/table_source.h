#pragma once

#include <CLI/App.hpp>
#include <string>

#include "cli/command.h"
#include "tacit/anonymize/source_file.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"

namespace tacit::cli {

// Where a verb takes its rows from: a file, the files of a pattern, or a table that the workspace
// declares, in the engine that has it.
struct TableSource {
  std::string file;
  std::string dataset;
  std::string table;

  // Adds the argument FILE, --dataset and --table; `dataset_words` say what the dataset is for.
  void add_options(CLI::App& verb, const std::string& dataset_words);

  [[nodiscard]] bool is_declared() const { return !table.empty(); }
  // As it is called in what is printed: the file, or "clinic.visits".
  [[nodiscard]] std::string name() const;
  // Refuses a file beside a table, and neither of them.
  [[nodiscard]] Result<void> check() const;
  Result<anonymize::SourceFile> open(Engine& engine, const Session& session) const;
};

}  // namespace tacit::cli
