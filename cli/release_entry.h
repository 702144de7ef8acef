#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/ledger_access.h"
#include "tacit/base/error.h"
#include "tacit/ledger/ledger.h"
#include "tacit/ledger/workspace.h"

namespace tacit::cli {

// Where the release of a table is entered.
struct ReleaseEntry {
  DeclaredDataset dataset;
  std::unique_ptr<Ledger> ledger;

  // The dataset of that name, or the only one; nothing where there is no workspace and no name.
  static Result<std::optional<ReleaseEntry>> find(const std::string& dataset, const Writer& writer,
                                                  const Session& session);
};

}  // namespace tacit::cli
