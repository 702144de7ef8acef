#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/train_options.h"
#include "cli/training/config.h"
#include "cli/training/examples.h"
#include "cli/training/table_examples.h"
#include "tacit/base/error.h"
#include "tacit/ledger/ledger.h"
#include "tacit/ledger/workspace.h"

namespace tacit::training {

// Where a run is planned and paid for, and where its data comes from.
struct Desk {
  Workspace workspace;
  DeclaredDataset dataset;
  std::unique_ptr<Ledger> ledger;
  Account account;  // as it stood when the desk was opened
  std::string who;
  // Where [data] and [test] name tables.
  std::optional<TableEncoding> table;
  std::optional<TableEncoding> test_table;

  // Reads no row. Refuses accounts from which no training can be paid, and tables that are not
  // declared as training needs them.
  static Result<Desk> open(const Config& config, const cli::TrainOptions& options,
                           const cli::Session& session);
};

// All that a run reads.
struct Data {
  Examples training;
  std::optional<Examples> test;
};

// Reads the examples and looks at all of them: what is refused here was not paid for.
Result<Data> read_data(const Config& config, const Desk& desk);

}  // namespace tacit::training
