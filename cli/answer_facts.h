#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/query_target.h"
#include "tacit/base/error.h"
#include "tacit/ledger/ledger.h"
#include "tacit/sql/ask.h"
#include "tacit/sql/plan_facts.h"

namespace tacit::cli {

// A question that was answered. `target.account` stands as it is after it was paid for.
struct Answered {
  const sql::Asked& asked;
  const sql::QueryPlan& plan;
  const QueryTarget& target;
};

// The plan in words, with the bounds that were learnt.
Result<sql::PlanFacts> settled_facts(const Answered& answered);

// What is said below an answer: what its intervals cover, what was learnt, charged and left.
Result<std::string> answer_footer(const Answered& answered);

// The answer and what it cost, as programs read it.
Result<nlohmann::json> answer_facts(const Answered& answered);

// What was proved about it. Refuses an answer that nothing was paid for.
Result<nlohmann::json> answer_certificate(const Answered& answered, const std::string& statement,
                                          Ledger& ledger);

}  // namespace tacit::cli
