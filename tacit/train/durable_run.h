#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/ledger/ledger.h"
#include "tacit/ledger/run_folder.h"
#include "tacit/train/private_sgd.h"

namespace tacit::train {

// Which account pays for a run, and what is written into the ledger.
struct RunAccount {
  AccountId account;
  std::string part;  // empty: the whole dataset
  std::string who;
  std::string note;
};

// Begins the run of a folder, or goes on with it where it was begun: after a kill, from the last
// checkpoint, with fresh keys for noise and sampling and what steps are left.
//
//   const bool begun = RunFolder::has_run(path);
//   TACIT_ASSIGN_OR_RETURN(auto folder, begun ? RunFolder::open(path) : RunFolder::begin(path));
//   TACIT_ASSIGN_OR_RETURN(auto run,
//                          begin_or_resume(plan, model->parameters(), ledger, payer, folder));
//   // folder.checkpoint(): load model and optimizer where there is one
//   while (run.steps_left() > 0) {
//     ... as with PrivateSgd; now and then folder.keep_checkpoint(model and optimizer)
//   }
//
// All that can be refused is refused before anything is charged. A folder with a checkpoint is one
// of a run that was paid for: where the ledger does not know it, it was set back, and the run is
// refused instead of charged anew. (Let the checkpoint hold PrivateSgd::state(), and give it to
// restore(): that notices a ledger that was set back within the run.) What the run was begun with
// (the account, the plan) must be the same again; the error says what differs. The ledger must
// outlive the run.
Result<PrivateSgd> begin_or_resume(const PrivateSgdPlan& plan, std::vector<at::Tensor> parameters,
                                   Ledger& ledger, const RunAccount& payer, const RunFolder& folder,
                                   RunPermit::Options options);

}  // namespace tacit::train
