#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/ledger/ledger.h"
#include "tacit/sql/ask.h"
#include "tacit/sql/plan_facts.h"

namespace tacit::sql {

// What was proved about an answer, for whoever holds it: docs/certificate.md is the contract. It
// says nothing of rows, so it may go wherever the answer goes.

// What a certificate states beside the plan.
struct CertificateFacts {
  std::string version;   // of the program that answered
  std::string question;  // the text that was asked
  Head paid;
  Entry entry;  // the one that paid
  std::optional<Digest> release;
  // Releases of the same dataset for which nothing was proved.
  std::vector<Entry> none_proved;
};

// Reads from the ledger what the certificate of an answer needs. Refuses an answer that nothing
// was paid for: it told nothing private.
Result<CertificateFacts> certificate_facts(const Asked& asked, std::string question,
                                           std::string version, Ledger& ledger);

Json certificate(const PlanFacts& plan, const CertificateFacts& facts);

// Of statements that were asked together: what holds for all answers, and the certificate of each.
struct BatchCertificateFacts {
  std::string version;
  std::string dataset;
  std::string question;  // the text of all
  Cost cost;             // of all, as they compose
};
Json batch_certificate(const PlanFacts& whole, const BatchCertificateFacts& facts,
                       const std::vector<Json>& statements);

}  // namespace tacit::sql
