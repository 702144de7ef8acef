#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/command.h"
#include "tacit/base/error.h"
#include "tacit/ledger/account.h"
#include "tacit/privacy/cost.h"
#include "tacit/sql/plan_facts.h"

namespace tacit::cli {

// What a plan would take from an account, and leave.
struct PlanPrice {
  Spend charge;
  Spend left;
  bool fits = true;
};
Result<PlanPrice> price_of(const Cost& cost, const Account& account);

// What is left of a budget, rounded down: "epsilon 0.4".
std::string left_spend_text(const Spend& left, const Budget& budget);

// What a settled plan learnt, a line each; nothing where it learns nothing. And as programs read
// it.
std::string learned_note(const sql::PlanFacts& facts);
nlohmann::json learned_json(const sql::PlanFacts& facts);

// What a plan releases, with its noise and expected errors, as people read it; and the SQL of it.
std::string releases_text(const sql::PlanFacts& facts);
std::string engine_text(const sql::PlanFacts& facts);
// What it promises, costs and would leave.
std::string price_text(const sql::PlanFacts& facts, const Cost& cost, const PlanPrice& price,
                       const Account& account);

// A plan as people read it, and as programs do.
std::string plan_text(const sql::PlanFacts& facts, const Cost& cost, const PlanPrice& price,
                      const Account& account);
nlohmann::json plan_json(const sql::PlanFacts& facts, const Cost& cost, const PlanPrice& price,
                         const Account& account);

// Prints a plan: all of it for people who wrote the SQL, or the price alone for those who did not;
// for programs always all.
enum class PlanDetail : bool { kPrice, kAll };
Result<void> show_plan(const sql::PlanFacts& facts, const Cost& cost, const Account& account,
                       PlanDetail detail, Session& session);

}  // namespace tacit::cli
