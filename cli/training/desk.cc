#include "cli/training/desk.h"

#include <fmt/format.h>

#include <utility>

#include "cli/ledger_access.h"
#include "cli/paying_account.h"
#include "cli/progress_bar.h"
#include "cli/training/image_examples.h"
#include "tacit/data/dataset.h"
#include "tacit/ledger/workspace_ledger.h"

namespace tacit::training {
namespace {

Result<void> check_account(const Account& account, train::Sampling::Kind sampler) {
  const Neighbours needed = train::Sampling{.kind = sampler}.neighbours();
  if (account.neighbours != needed) {
    const bool replaced = needed == Neighbours::kReplace;
    return bad_input(
        fmt::format("training with this sampler protects by {} rows, and this dataset by {} ones",
                    replaced ? "replaced" : "added and removed",
                    replaced ? "added and removed" : "replaced"),
        account.id.to_string(),
        fmt::format("declare a dataset with neighbours = \"{}\" for it, or take sampler = \"{}\"",
                    name(needed), replaced ? "poisson" : "fixed-size"));
  }
  if (account.budget.is_pure()) {
    return bad_input("training needs a delta, and this account has none", account.id.to_string(),
                     "declare a dataset with a delta in tacit.toml (docs/workspace.md)");
  }
  return {};
}

Result<Examples> read_source(const Source& source, const DataSection& data,
                             const std::optional<TableEncoding>& table, const Desk& desk) {
  if (table) return read_table_examples(*table, desk.workspace, desk.dataset);
  if (const auto* const files = std::get_if<IdxSource>(&source)) {
    return read_idx_examples(*files, data);
  }
  return read_folder_examples(std::get<FolderSource>(source), data,
                              cli::progress_bar("reading pictures"));
}

Result<void> check_alike(const Examples& training, const Examples& test) {
  if (test.shape == training.shape && test.classes == training.classes) return {};
  return bad_input("the test data differs from the training data in shape or classes", "[test]",
                   "declare the same columns, values, sizes and classes of both");
}

}  // namespace

Result<Desk> Desk::open(const Config& config, const cli::TrainOptions& options,
                        const cli::Session& session) {
  TACIT_ASSIGN_OR_RETURN(Workspace workspace, cli::workspace_of(session));
  TACIT_ASSIGN_OR_RETURN(DeclaredDataset dataset,
                         cli::chosen_dataset(config.privacy.dataset, workspace));
  TACIT_ASSIGN_OR_RETURN(Ledger::Options writing, options.writer.options());
  TACIT_ASSIGN_OR_RETURN(Ledger ledger, open_ledger(workspace, std::move(writing)));
  const auto by = options.plan ? cli::AskedBy::kAnybody : cli::AskedBy::kNamed;
  TACIT_ASSIGN_OR_RETURN(Account account,
                         cli::paying_account(dataset.name, options.writer.as, by, ledger));
  TACIT_RETURN_IF_ERROR(check_account(account, config.privacy.sampler));
  Desk desk{.workspace = std::move(workspace),
            .dataset = std::move(dataset),
            .ledger = std::make_unique<Ledger>(std::move(ledger)),
            .account = std::move(account),
            .who = options.writer.name()};
  if (const auto* const table = std::get_if<TableSource>(&config.data.source)) {
    TACIT_ASSIGN_OR_RETURN(const Schema schema, schema_of(desk.workspace, desk.dataset));
    TACIT_ASSIGN_OR_RETURN(desk.table, encode(*table, schema, Rows::kPrivate));
    if (config.test) {
      const Rows rows = config.test->is_private ? Rows::kPrivateTest : Rows::kPublic;
      TACIT_ASSIGN_OR_RETURN(desk.test_table,
                             encode(std::get<TableSource>(config.test->source), schema, rows));
    }
  }
  return desk;
}

Result<Data> read_data(const Config& config, const Desk& desk) {
  Data out;
  TACIT_ASSIGN_OR_RETURN(out.training,
                         read_source(config.data.source, config.data, desk.table, desk));
  if (out.training.size() == 0) {
    return bad_input("there is no example to learn from", "[data]",
                     "is the table or folder empty, or does every row lack a value?");
  }
  if (out.training.size() > config.data.examples) {
    return bad_input("there are more examples than [data] says", config.file.string(),
                     "'examples' is a public number, at or above the true one");
  }
  if (!config.test) return out;
  TACIT_ASSIGN_OR_RETURN(out.test,
                         read_source(config.test->source, config.data, desk.test_table, desk));
  if (out.test->size() == 0) return bad_input("there is no test example", "[test]", "leave it out");
  if (config.test->is_private && out.test->size() > config.test->is_private->examples) {
    return bad_input("there are more test examples than [test] says", config.file.string(),
                     "'examples' is a public number, at or above the true one");
  }
  TACIT_RETURN_IF_ERROR(check_alike(out.training, *out.test));
  return out;
}

}  // namespace tacit::training
