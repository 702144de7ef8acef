#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/ledger/ledger.h"
#include "tacit/ledger/store.h"
#include "tacit/ledger/workspace.h"

namespace tacit {

// The store of the ledger that a workspace names. Refuses one that is not there.
Result<std::unique_ptr<Store>> open_store(const Workspace& workspace);

// The ledger that a workspace names. A missing one is never made anew, for that would hand out the
// whole budget again.
Result<Ledger> open_ledger(const Workspace& workspace, Ledger::Options options = {});

// The budget an account is opened with.
Result<Budget> to_budget(const DeclaredBudget& declared);

// What found_ledger found and did.
struct Founding {
  bool began = false;             // there was no ledger, and now there is
  std::vector<AccountId> opened;  // declared, and not in the ledger before
  Head head;
};

// Opens the accounts that the workspace declares and its ledger lacks; those it has stay as they
// are. A missing ledger is begun only with `may_begin`, the steward's word that there never was
// one. May be run again after a crash, and goes on where it was.
Result<Founding> found_ledger(const Workspace& workspace, bool may_begin, const std::string& who,
                              Ledger::Options options = {});

}  // namespace tacit
