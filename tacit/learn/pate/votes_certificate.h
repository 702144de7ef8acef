#pragma once

#include <cstdint>
#include <optional>

#include "tacit/base/error.h"
#include "tacit/learn/pate/pate.h"
#include "tacit/sql/certificate.h"

namespace tacit::learn {

// What came of a run of votes, as far as anybody may know.
struct VotesOutcome {
  std::uint64_t asked = 0;
  std::uint64_t answered = 0;
  std::optional<HindsightCost> hindsight;
};

// What was proved about the answers, for whoever holds them or a model that learnt from them:
// docs/pate.md is the contract. `question` of the facts says what teachers were asked about.
// Refuses a delta that is not above what the plan spends.
Result<sql::Json> votes_certificate(const Votes& votes, const VotesOutcome& outcome, double delta,
                                    const sql::CertificateFacts& facts);

}  // namespace tacit::learn
