#include "cli/release_entry.h"

#include <fmt/format.h>

#include <utility>

#include "tacit/ledger/workspace_ledger.h"

namespace tacit::cli {

Result<std::optional<ReleaseEntry>> ReleaseEntry::find(const std::string& dataset,
                                                       const Writer& writer,
                                                       const Session& session) {
  TACIT_ASSIGN_OR_RETURN(const auto workspace, workspace_if_any(session));
  if (!workspace) {
    if (dataset.empty()) return std::nullopt;
    return bad_input("there is no workspace here that has datasets", "--dataset",
                     "go to its folder, or name it with --workspace");
  }
  if (dataset.empty() && workspace->datasets.size() != 1) {
    return bad_input(fmt::format("the workspace has {} datasets", workspace->datasets.size()),
                     "--dataset", "say under which one the release is to be entered");
  }
  TACIT_ASSIGN_OR_RETURN(const DeclaredDataset declared,
                         dataset.empty() ? Result<DeclaredDataset>(workspace->datasets[0])
                                         : workspace->dataset(dataset));
  TACIT_ASSIGN_OR_RETURN(Ledger::Options options, writer.options());
  TACIT_ASSIGN_OR_RETURN(Ledger ledger, open_ledger(*workspace, std::move(options)));
  return ReleaseEntry{.dataset = declared, .ledger = std::make_unique<Ledger>(std::move(ledger))};
}

}  // namespace tacit::cli
