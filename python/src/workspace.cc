#include "python/src/workspace.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>  // defines what the command's sources but declare
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/account_json.h"
#include "cli/answer_facts.h"
#include "cli/answer_text.h"
#include "cli/command.h"
#include "cli/ledger_access.h"
#include "cli/ledger_text.h"
#include "cli/paying_account.h"
#include "cli/plan_text.h"
#include "tacit/data/dataset.h"
#include "tacit/ledger/workspace_ledger.h"
#include "tacit/sql/ask.h"
#include "tacit/sql/batch.h"
#include "tacit/sql/plan_facts.h"

namespace tacit::python {
namespace {

// A plan, or the planner's refusal.
std::expected<sql::QueryPlan, Refusal> planned(const OpenWorkspace::Question& question,
                                               const cli::QueryTarget& target, Engine& embedded) {
  auto plan = cli::prepare(question.statement, question.options, target, embedded);
  if (!plan) return std::unexpected(Refusal(std::move(plan).error(), true));
  return *std::move(plan);
}

// The lock, unless the call is interrupted while another question is answered.
Result<std::unique_lock<std::timed_mutex>> turn(std::timed_mutex& mutex, const Call& call) {
  constexpr auto kPause = std::chrono::milliseconds(50);
  std::unique_lock lock(mutex, std::defer_lock);
  while (!lock.try_lock_for(kPause)) {
    if (call.is_interrupted()) return world_failed("interrupted; nothing was charged");
  }
  return lock;
}

Result<Reply> reply_of(sql::Asked asked, const sql::QueryPlan& plan, const cli::QueryTarget& target,
                       const std::string& statement, Ledger& ledger) {
  const cli::Answered answered{asked, plan, target};
  Reply reply;
  TACIT_ASSIGN_OR_RETURN(reply.words, cli::answer_footer(answered));
  TACIT_ASSIGN_OR_RETURN(nlohmann::json facts, cli::answer_facts(answered));
  for (const char* const told_otherwise : {"columns", "rows", "half_widths"}) {
    facts.erase(told_otherwise);
  }
  reply.facts = facts.dump();
  if (!asked.entry.empty()) {
    TACIT_ASSIGN_OR_RETURN(const nlohmann::json proved,
                           cli::answer_certificate(answered, statement, ledger));
    reply.certificate = proved.dump();
  }
  reply.answer = std::move(asked.answer);
  return reply;
}

// A plan of several statements, or the planner's refusal.
std::expected<sql::BatchPlan, Refusal> planned_batch(const OpenWorkspace::Question& question,
                                                     const cli::QueryTarget& target,
                                                     Engine& embedded) {
  auto plan = cli::prepare_batch(question.statement, question.options, target, embedded);
  if (!plan) return std::unexpected(Refusal(std::move(plan).error(), true));
  return *std::move(plan);
}

// What one statement of a batch came to. The charge is that of the batch: what several statements
// ask is released once.
Result<Reply> reply_in_batch(sql::Asked asked, const sql::QueryPlan& plan,
                             const cli::QueryTarget& target, const std::string& statement,
                             const nlohmann::json& charged, Ledger& ledger) {
  const bool is_free = asked.on_record.has_value();
  TACIT_ASSIGN_OR_RETURN(const sql::PlanFacts facts, cli::settled_facts({asked, plan, target}));
  std::string words = cli::interval_note(asked.answer) + cli::learned_note(facts);
  if (asked.entry.empty()) words += "Public tables alone: nothing was charged.\n";
  if (is_free) words += "On record: free of charge.\n";
  TACIT_ASSIGN_OR_RETURN(Reply reply, reply_of(std::move(asked), plan, target, statement, ledger));
  nlohmann::json told = nlohmann::json::parse(reply.facts);
  if (!is_free) told["charged"] = charged;
  reply.facts = told.dump();
  reply.words = std::move(words);
  if (reply.certificate) {
    // What the engine ran is said of the batch: a statement of it may answer several of these.
    nlohmann::json proved = nlohmann::json::parse(*reply.certificate);
    for (nlohmann::json& release : proved.at("releases")) release.erase("statements");
    reply.certificate = proved.dump();
  }
  return reply;
}

}  // namespace

Result<std::unique_ptr<OpenWorkspace>> OpenWorkspace::open(const std::string& place,
                                                           const std::string& key_file) {
  cli::Session session;
  session.workspace = place;
  TACIT_ASSIGN_OR_RETURN(Workspace workspace, cli::workspace_of(session));
  const cli::Writer writer{.as = {}, .key_file = key_file};
  TACIT_ASSIGN_OR_RETURN(Ledger::Options options, writer.options());
  TACIT_ASSIGN_OR_RETURN(Ledger ledger, open_ledger(workspace, std::move(options)));
  return std::unique_ptr<OpenWorkspace>(new OpenWorkspace(std::move(workspace), std::move(ledger)));
}

Result<Engine*> OpenWorkspace::engine_of(const cli::QueryTarget& target) {
  const auto known = engines_.find(target.dataset.name);
  if (known != engines_.end()) return &known->second;
  TACIT_ASSIGN_OR_RETURN(Engine opened, open_engine(target.workspace, target.dataset));
  return &engines_.emplace(target.dataset.name, std::move(opened)).first->second;
}

std::expected<Reply, Refusal> OpenWorkspace::answer(const Question& question, Call& call) {
  TACIT_ASSIGN_OR_RETURN(const auto lock, turn(mutex_, call));
  TACIT_ASSIGN_OR_RETURN(
      cli::QueryTarget target,
      cli::find_target(question.options, cli::AskedBy::kNamed, workspace_, ledger_));
  // A new one for each question: what one leaves behind the next must not meet.
  TACIT_ASSIGN_OR_RETURN(Engine embedded, Engine::duckdb_in_memory(Engine::Files::kRefused));
  TACIT_ASSIGN_OR_RETURN(const sql::QueryPlan plan, planned(question, target, embedded));
  TACIT_ASSIGN_OR_RETURN(Engine * engine, engine_of(target));
  const Call::AtWork at_work(call, *engine);
  if (call.is_interrupted()) return world_failed("interrupted; nothing was charged");
  TACIT_ASSIGN_OR_RETURN(sql::Asked asked, sql::ask(plan,
                                                    {.account = target.account.id,
                                                     .who = target.who,
                                                     .note = question.statement,
                                                     .fresh = question.fresh},
                                                    ledger_, *engine, embedded));
  TACIT_ASSIGN_OR_RETURN(target.account, ledger_.account(target.account.id));
  return reply_of(std::move(asked), plan, target, question.statement, ledger_);
}

std::expected<BatchReply, Refusal> OpenWorkspace::answer_batch(const Question& question,
                                                               Call& call) {
  TACIT_ASSIGN_OR_RETURN(const auto lock, turn(mutex_, call));
  TACIT_ASSIGN_OR_RETURN(
      cli::QueryTarget target,
      cli::find_target(question.options, cli::AskedBy::kNamed, workspace_, ledger_));
  TACIT_ASSIGN_OR_RETURN(Engine embedded, Engine::duckdb_in_memory(Engine::Files::kRefused));
  TACIT_ASSIGN_OR_RETURN(const sql::BatchPlan plan, planned_batch(question, target, embedded));
  TACIT_ASSIGN_OR_RETURN(Engine * engine, engine_of(target));
  const Call::AtWork at_work(call, *engine);
  if (call.is_interrupted()) return world_failed("interrupted; nothing was charged");
  TACIT_ASSIGN_OR_RETURN(sql::BatchAsked asked, sql::ask_batch(plan,
                                                               {.account = target.account.id,
                                                                .who = target.who,
                                                                .note = question.statement,
                                                                .fresh = question.fresh},
                                                               ledger_, *engine, embedded));
  if (asked.failed) return std::unexpected(Refusal(*asked.failed));
  TACIT_ASSIGN_OR_RETURN(target.account, ledger_.account(target.account.id));
  const Budget& budget = target.account.budget;
  TACIT_ASSIGN_OR_RETURN(const Spend charge,
                         asked.paid ? budget.price(*asked.paid) : budget.zero());
  TACIT_ASSIGN_OR_RETURN(const Spend left, target.account.remaining());
  BatchReply batch;
  for (std::size_t i = 0; i < asked.answers.size(); ++i) {
    const std::string& statement = batch.statements.emplace_back(plan.bound.statements[i].text);
    TACIT_ASSIGN_OR_RETURN(Reply reply,
                           reply_in_batch(std::move(asked.answers[i]), plan.statements[i], target,
                                          statement, cli::to_json(charge, budget), ledger_));
    batch.replies.push_back(std::move(reply));
  }
  const std::string paid =
      asked.paid ? fmt::format("Charged to {} for all: {} (entry {}).",
                               target.account.id.to_string(), cli::spend_text(charge, budget),
                               asked.entry.substr(0, asked.entry.find(':')))
                 : "Nothing was charged.";
  batch.words = fmt::format("{} Left: {}.", paid, cli::left_spend_text(left, budget));
  return batch;
}

std::expected<Preview, Refusal> OpenWorkspace::preview(const Question& question) {
  const std::scoped_lock lock(mutex_);
  TACIT_ASSIGN_OR_RETURN(
      const cli::QueryTarget target,
      cli::find_target(question.options, cli::AskedBy::kAnybody, workspace_, ledger_));
  TACIT_ASSIGN_OR_RETURN(Engine embedded, Engine::duckdb_in_memory(Engine::Files::kRefused));
  TACIT_ASSIGN_OR_RETURN(const sql::QueryPlan plan, planned(question, target, embedded));
  TACIT_ASSIGN_OR_RETURN(const Dialect* dialect, dialect_of(target.dataset));
  TACIT_ASSIGN_OR_RETURN(const sql::PlanFacts facts, sql::facts_of(plan, *dialect));
  TACIT_ASSIGN_OR_RETURN(const cli::PlanPrice price, cli::price_of(plan.cost, target.account));
  return Preview{.words = cli::plan_text(facts, plan.cost, price, target.account),
                 .facts = cli::plan_json(facts, plan.cost, price, target.account).dump()};
}

Result<std::string> OpenWorkspace::account(const cli::QueryOptions& options) {
  const std::scoped_lock lock(mutex_);
  // A dataset needs no tables to have a budget: models are trained on images, and by Python's rows.
  TACIT_ASSIGN_OR_RETURN(const DeclaredDataset dataset,
                         cli::chosen_dataset(options.dataset, workspace_));
  TACIT_ASSIGN_OR_RETURN(
      const Account account,
      cli::paying_account(dataset.name, options.writer.as, cli::AskedBy::kAnybody, ledger_));
  TACIT_ASSIGN_OR_RETURN(const nlohmann::json json, cli::account_json(account));
  return json.dump();
}

Result<std::string> OpenWorkspace::accounts() {
  const std::scoped_lock lock(mutex_);
  TACIT_ASSIGN_OR_RETURN(const std::vector<Account> accounts, ledger_.accounts());
  nlohmann::json list = nlohmann::json::array();
  for (const Account& account : accounts) {
    TACIT_ASSIGN_OR_RETURN(nlohmann::json json, cli::account_json(account));
    list.push_back(std::move(json));
  }
  return list.dump();
}

}  // namespace tacit::python
