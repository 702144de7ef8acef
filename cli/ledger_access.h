#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/ledger/ledger.h"
#include "tacit/ledger/workspace.h"

namespace tacit::cli {

// The workspace that --workspace names, or that of the current folder.
Result<Workspace> workspace_of(const Session& session);
// The same; nothing where none is named and there is none.
Result<std::optional<Workspace>> workspace_if_any(const Session& session);

// Who writes to the ledger, and with which key.
struct Writer {
  std::string as;
  std::string key_file;

  // Adds --as and --key.
  void add_options(CLI::App& verb);
  // The name claimed, or that of the account of the operating system.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] Result<Ledger::Options> options() const;
};

// A number as it stands on the command line; the error names the option.
Result<Rational> number(const std::string& text, std::string_view option);

// The content of a small file, or of standard input where `name` is "-".
Result<std::string> read_small_file(const std::string& name);

}  // namespace tacit::cli
