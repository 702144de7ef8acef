#include "cli/answer_facts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/answer_columns.h"
#include "cli/answer_text.h"
#include "cli/ledger_text.h"
#include "cli/plan_text.h"
#include "tacit/data/dataset.h"
#include "tacit/mechanisms/release.h"
#include "tacit/sql/certificate.h"
#include "tacit/sql/learned.h"

namespace tacit::cli {
namespace {

// What was charged, or why nothing was.
Result<std::string> payment(const Answered& answered) {
  const auto& [asked, plan, target] = answered;
  const std::string entry = asked.entry.substr(0, asked.entry.find(':'));
  if (asked.on_record) {
    return fmt::format(
        "Already released on {} for {} (entry {}): the same answer again, free of charge. --fresh "
        "pays for new noise.",
        time_text(asked.on_record->time), printable(asked.on_record->who), entry);
  }
  const Budget& budget = target.account.budget;
  TACIT_ASSIGN_OR_RETURN(const Spend charge, budget.price(plan.cost));
  const std::string bought =
      budget.is_pure() ? "" : fmt::format(" for epsilon {:g}", plan.options.epsilon.approximate());
  return fmt::format("Charged to {}{}: {} (entry {}).", target.account.id.to_string(), bought,
                     spend_text(charge, budget), entry);
}

}  // namespace

Result<sql::PlanFacts> settled_facts(const Answered& answered) {
  TACIT_ASSIGN_OR_RETURN(const Dialect* dialect, dialect_of(answered.target.dataset));
  TACIT_ASSIGN_OR_RETURN(const sql::QueryPlan settled,
                         sql::settle(answered.plan, answered.asked.learned));
  return sql::facts_of(settled, *dialect);
}

Result<std::string> answer_footer(const Answered& answered) {
  const sql::Asked& asked = answered.asked;
  const Account& account = answered.target.account;
  TACIT_ASSIGN_OR_RETURN(const sql::PlanFacts facts, settled_facts(answered));
  std::string text = interval_note(asked.answer) + learned_note(facts);
  if (asked.entry.empty()) return text + "Public tables alone: nothing was charged.\n";
  TACIT_ASSIGN_OR_RETURN(const Spend left, account.remaining());
  TACIT_ASSIGN_OR_RETURN(const std::string paid, payment(answered));
  text += wrapped(fmt::format("{} Left: {}.", paid, left_spend_text(left, account.budget)), 0);
  if (asked.not_recorded) {
    text += wrapped("It could not be kept on record, so asking again would pay again: " +
                        asked.not_recorded->what + ".",
                    0);
  }
  return text;
}

Result<nlohmann::json> answer_facts(const Answered& answered) {
  const auto& [asked, plan, target] = answered;
  nlohmann::json out = answer_json(asked.answer);
  const Budget& budget = target.account.budget;
  const bool paid = !asked.entry.empty() && !asked.on_record;
  TACIT_ASSIGN_OR_RETURN(const Spend charge, paid ? budget.price(plan.cost) : budget.zero());
  TACIT_ASSIGN_OR_RETURN(const Spend left, target.account.remaining());
  out["account"] = target.account.id.to_string();
  out["charged"] = to_json(charge, budget);
  out["remaining"] = to_json(left, budget);
  out["entry"] = asked.entry.empty() ? nlohmann::json() : nlohmann::json(asked.entry);
  out["on_record"] = asked.on_record.has_value();
  TACIT_ASSIGN_OR_RETURN(const sql::PlanFacts facts, settled_facts(answered));
  out["learned"] = learned_json(facts);
  out["note"] = kIntervalCovers;
  return out;
}

Result<nlohmann::json> answer_certificate(const Answered& answered, const std::string& statement,
                                          Ledger& ledger) {
  TACIT_ASSIGN_OR_RETURN(const sql::PlanFacts facts, settled_facts(answered));
  TACIT_ASSIGN_OR_RETURN(const auto paid,
                         sql::certificate_facts(answered.asked, statement, TACIT_VERSION, ledger));
  return sql::certificate(facts, paid);
}

}  // namespace tacit::cli
