#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/ledger/ledger.h"
#include "tacit/train/plan.h"

namespace tacit::train {

// What a certificate of a run states beside its plan.
struct RunFacts {
  std::string version;  // of the program that trained
  std::string entry;    // PrivateSgd::entry()
  double delta = 1e-5;  // at which epsilon is stated
  // Parameters in float32: the proof then rests on all of assumption A.
  bool single_precision = true;
  // Losses were told with noise (PrivateMeans), and are covered: the proof rests on assumption B.
  bool noisy_losses = false;
  // Whose protection is promised, such as "a row of people"; empty: an example.
  std::string unit;
  // What was trained and how, as names and values: the network, the optimizer. Public, and nothing
  // of it decides the guarantee.
  RunTerms training;
  // Entries that paid for what was released beside the model, such as its accuracy.
  std::vector<std::string> beside;
  // What the guarantee covers with the run: what its own entry paid for as well, such as noisy
  // losses, and entries that paid for those or for runs before that trained the same model.
  std::optional<Cost> paid_with_it;
  std::vector<std::string> covered;
};

// What was proved about a model that a run trained, as JSON: docs/certificate.md is the contract.
// It says nothing of examples, so it may go wherever the model goes. Refuses an entry that is not
// in the ledger, or paid for something else.
Result<std::string> certificate(const PrivateSgdPlan& plan, const RunFacts& facts, Ledger& ledger);

}  // namespace tacit::train
