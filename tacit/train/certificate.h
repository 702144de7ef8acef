#pragma once

#include <string>

#include "tacit/base/error.h"
#include "tacit/ledger/ledger.h"
#include "tacit/train/plan.h"

namespace tacit::train {

// What a certificate of a run states beside its plan.
struct RunFacts {
  std::string version;  // of the program that trained
  std::string entry;    // PrivateSgd::entry()
  double delta = 1e-5;  // at which epsilon is stated
  // Parameters in float32: the proof then rests on assumption A.
  bool single_precision = true;
};

// What was proved about a model that a run trained, as JSON: docs/certificate.md is the contract.
// It says nothing of examples, so it may go wherever the model goes. Refuses an entry that is not
// in the ledger, or paid for something else.
Result<std::string> certificate(const PrivateSgdPlan& plan, const RunFacts& facts, Ledger& ledger);

}  // namespace tacit::train
