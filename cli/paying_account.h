#pragma once

#include <string>

#include "cli/query_target.h"
#include "tacit/base/error.h"
#include "tacit/ledger/ledger.h"
#include "tacit/ledger/workspace.h"

namespace tacit::cli {

// The dataset of that name; where none is named, the only one there is.
Result<DeclaredDataset> chosen_dataset(const std::string& name, const Workspace& workspace);

// The analyst's account; the dataset's own where it has no analysts, or where nobody is named.
Result<Account> paying_account(const std::string& dataset, const std::string& as, AskedBy asked_by,
                               Ledger& ledger);

}  // namespace tacit::cli
