#pragma once

#include <string>

#include "tacit/base/error.h"
#include "tacit/ledger/digest.h"
#include "tacit/ledger/ledger.h"
#include "tacit/privacy/cost.h"
#include "tacit/privacy/permit.h"

namespace tacit {

// Steps of a run that nobody has claimed.
struct RunClaim {
  std::string entry;   // that paid for the run
  Digest fingerprint;  // of the run and the number of the claim: no two claims share it
  std::string bytes;   // which steps, and for whom
  Cost steps;          // a Repeat
};

// Puts the claim on record, durably, and then mints the permit of its steps. The store takes no
// second record under one entry and fingerprint, so of two that claim the same one is refused.
// RunPermit alone calls it, with steps that the entry paid for.
Result<Permit> claim_steps(Ledger& ledger, const RunClaim& claim);

}  // namespace tacit
