// Statements that are planned and paid for together.

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/answer_columns.h"
#include "cli/answer_facts.h"
#include "cli/answer_text.h"
#include "cli/ledger_text.h"
#include "cli/plan_text.h"
#include "cli/query_desk.h"
#include "cli/query_watch.h"
#include "tacit/data/dataset.h"
#include "tacit/mechanisms/release.h"
#include "tacit/sql/certificate.h"
#include "tacit/sql/learned.h"
#include "tacit/sql/plan_facts.h"

namespace tacit::cli {
namespace {

constexpr std::size_t kHeadingWidth = 76;

// "[2] SELECT ward, count(*)", the first line of the statement.
std::string heading(std::size_t index, const sql::BatchPlan& plan) {
  const std::string& text = plan.bound.statements[index].text;
  const std::string line = printable(text.substr(0, text.find_first_of("\r\n")));
  return fmt::format("[{}] {}\n", index + 1, abbreviated(line, kHeadingWidth));
}

// "answers.csv" to "answers_2.csv".
std::string numbered(const std::string& path, std::size_t index) {
  const std::filesystem::path whole(path);
  const std::string name =
      fmt::format("{}_{}{}", whole.stem().string(), index + 1, whole.extension().string());
  return (whole.parent_path() / name).string();
}

std::string entry_number(const std::string& entry) { return entry.substr(0, entry.find(':')); }

// What an answer stands on, where the batch did not pay for it.
std::string provenance(const sql::Asked& asked) {
  if (asked.entry.empty()) return "Public tables alone: nothing was charged.\n";
  std::string text;
  if (asked.on_record) {
    text += wrapped(fmt::format("On record since {} for {} (entry {}): free of charge.",
                                time_text(asked.on_record->time), printable(asked.on_record->who),
                                entry_number(asked.entry)),
                    0);
  }
  if (asked.not_recorded) {
    text += wrapped("It could not be kept on record, so asking again would pay again: " +
                        asked.not_recorded->what + ".",
                    0);
  }
  return text;
}

// The columns of all answers, for what is said of their intervals.
sql::Answer all_columns(const sql::BatchAsked& asked) {
  sql::Answer out;
  for (const sql::Asked& each : asked.answers) {
    out.confidence = each.answer.confidence;
    for (const sql::AnswerColumn& column : each.answer.columns) {
      out.columns.push_back({.field = column.field, .values = {}, .interval = column.interval});
    }
  }
  return out;
}

// What was learnt for each release of the batch, by the statements that stand on it.
std::vector<sql::LearnedBounds> learned_in(const sql::BatchAsked& asked,
                                           const sql::BatchPlan& plan) {
  std::vector<sql::LearnedBounds> out(plan.whole.aggregations.size());
  for (std::size_t s = 0; s < asked.answers.size(); ++s) {
    const auto& learned = asked.answers[s].learned;
    const auto& places = plan.bound.statements[s].places;
    for (std::size_t i = 0; i < learned.size(); ++i) out[places[i].aggregation] = learned[i];
  }
  return out;
}

// What the engine runs is said of the batch: a statement of it may answer several of these.
void leave_out_statements(nlohmann::json& described) {
  for (nlohmann::json& release : described.at("releases")) release.erase("statements");
}

Result<std::vector<AnswerFile>> files_for(const std::string& output, const sql::BatchPlan& plan) {
  std::vector<AnswerFile> files;
  if (output.empty()) return files;
  for (std::size_t i = 0; i < plan.statements.size(); ++i) {
    TACIT_ASSIGN_OR_RETURN(AnswerFile file, AnswerFile::create(numbered(output, i)));
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

Result<void> QueryDesk::answer_batch(const std::string& text) {
  if (answers_.output.empty() && (answers_.format == "csv" || answers_.format == "arrow")) {
    return bad_input("a stream holds one table, and a batch has several", "--format",
                     "-o answers.csv writes answers_1.csv, answers_2.csv, ...; or --format json");
  }
  TACIT_ASSIGN_OR_RETURN(Engine embedded, Engine::duckdb_in_memory(Engine::Files::kRefused));
  TACIT_ASSIGN_OR_RETURN(const sql::BatchPlan plan,
                         prepare_batch(text, query_, *target_, embedded));
  TACIT_ASSIGN_OR_RETURN(const std::vector<AnswerFile> files, files_for(answers_.output, plan));
  TACIT_ASSIGN_OR_RETURN(const sql::BatchAsked asked, ask(text, plan, embedded));
  TACIT_ASSIGN_OR_RETURN(target_->account, ledger_->account(target_->account.id));
  if (!answers_.certificate.empty()) TACIT_RETURN_IF_ERROR(certify(asked, plan, text));
  TACIT_RETURN_IF_ERROR(show(asked, plan, files));
  if (asked.failed) return std::unexpected(*asked.failed);
  return {};
}

Result<void> QueryDesk::plan_batch(const std::string& text) {
  TACIT_ASSIGN_OR_RETURN(Engine embedded, Engine::duckdb_in_memory(Engine::Files::kRefused));
  TACIT_ASSIGN_OR_RETURN(const sql::BatchPlan plan,
                         prepare_batch(text, query_, *target_, embedded));
  TACIT_ASSIGN_OR_RETURN(const Dialect* dialect, dialect_of(target_->dataset));
  TACIT_ASSIGN_OR_RETURN(const sql::PlanFacts whole, sql::facts_of(plan.whole, *dialect));
  TACIT_ASSIGN_OR_RETURN(const PlanPrice price, price_of(plan.whole.cost, target_->account));
  nlohmann::json statements = nlohmann::json::array();
  std::string words;
  for (std::size_t i = 0; i < plan.statements.size(); ++i) {
    TACIT_ASSIGN_OR_RETURN(const auto facts, sql::facts_of(plan.statements[i], *dialect));
    words += heading(i, plan);
    words += facts.releases.empty() ? "Public tables alone: it costs nothing.\n\n"
                                    : releases_text(facts);
    nlohmann::json one = sql::to_json(facts);
    one["sql"] = plan.bound.statements[i].text;
    one["cost"] = nlohmann::json::parse(plan.statements[i].cost.to_json());
    leave_out_statements(one);
    statements.push_back(std::move(one));
  }
  if (session_->json) {
    nlohmann::json all = plan_json(whole, plan.whole.cost, price, target_->account);
    all["statements"] = std::move(statements);
    session_->print(all);
  } else {
    session_->print(words + (whole.releases.empty()
                                 ? "No row was read and nothing was charged.\n"
                                 : engine_text(whole) + price_text(whole, plan.whole.cost, price,
                                                                   target_->account)));
  }
  return {};
}

Result<sql::BatchAsked> QueryDesk::ask(const std::string& text, const sql::BatchPlan& plan,
                                       Engine& embedded) {
  TACIT_ASSIGN_OR_RETURN(Engine * engine, rows());
  const QueryWatch watch(*engine, "the engine is at work");
  return sql::ask_batch(
      plan,
      {.account = target_->account.id, .who = target_->who, .note = text, .fresh = answers_.fresh},
      *ledger_, *engine, embedded);
}

Result<void> QueryDesk::certify(const sql::BatchAsked& asked, const sql::BatchPlan& plan,
                                const std::string& text) {
  TACIT_ASSIGN_OR_RETURN(const Dialect* dialect, dialect_of(target_->dataset));
  std::vector<nlohmann::json> statements;
  for (std::size_t i = 0; i < asked.answers.size(); ++i) {
    if (asked.answers[i].entry.empty()) continue;
    TACIT_ASSIGN_OR_RETURN(nlohmann::json proved,
                           answer_certificate({asked.answers[i], plan.statements[i], *target_},
                                              plan.bound.statements[i].text, *ledger_));
    statements.push_back(std::move(proved));
    leave_out_statements(statements.back());
  }
  TACIT_ASSIGN_OR_RETURN(const sql::QueryPlan settled,
                         sql::settle(plan.whole, learned_in(asked, plan)));
  TACIT_ASSIGN_OR_RETURN(const sql::PlanFacts whole, sql::facts_of(settled, *dialect));
  const nlohmann::json all = sql::batch_certificate(whole,
                                                    {.version = TACIT_VERSION,
                                                     .dataset = target_->dataset.name,
                                                     .question = text,
                                                     .cost = plan.whole.cost},
                                                    statements);
  return write_text_file(answers_.certificate, all.dump(2) + "\n");
}

Result<std::string> QueryDesk::footer(const sql::BatchAsked& asked,
                                      const sql::BatchPlan& plan) const {
  const Account& account = target_->account;
  std::string paid = "Nothing was charged.";
  if (asked.paid) {
    TACIT_ASSIGN_OR_RETURN(const Spend charge, account.budget.price(*asked.paid));
    const std::string epsilon =
        account.budget.is_pure()
            ? ""
            : fmt::format(" for epsilon {:g}", plan.whole.options.epsilon.approximate());
    paid = fmt::format("Charged to {}{}: {} (entry {}).", account.id.to_string(), epsilon,
                       spend_text(charge, account.budget), entry_number(asked.entry));
  }
  TACIT_ASSIGN_OR_RETURN(const Spend left, account.remaining());
  return interval_note(all_columns(asked)) +
         wrapped(fmt::format("{} Left: {}.", paid, left_spend_text(left, account.budget)), 0);
}

Result<nlohmann::json> QueryDesk::json(const sql::BatchAsked& asked,
                                       const sql::BatchPlan& plan) const {
  nlohmann::json answers = nlohmann::json::array();
  for (std::size_t i = 0; i < asked.answers.size(); ++i) {
    nlohmann::json one = answer_json(asked.answers[i].answer);
    const std::string& entry = asked.answers[i].entry;
    one["sql"] = plan.bound.statements[i].text;
    one["entry"] = entry.empty() ? nlohmann::json() : nlohmann::json(entry);
    one["on_record"] = asked.answers[i].on_record.has_value();
    TACIT_ASSIGN_OR_RETURN(const auto facts,
                           settled_facts({asked.answers[i], plan.statements[i], *target_}));
    one["learned"] = learned_json(facts);
    answers.push_back(std::move(one));
  }
  const Budget& budget = target_->account.budget;
  TACIT_ASSIGN_OR_RETURN(const Spend charge,
                         asked.paid ? budget.price(*asked.paid) : budget.zero());
  TACIT_ASSIGN_OR_RETURN(const Spend left, target_->account.remaining());
  return nlohmann::json{
      {"answers", std::move(answers)},
      {"account", target_->account.id.to_string()},
      {"charged", to_json(charge, budget)},
      {"remaining", to_json(left, budget)},
      {"entry", asked.entry.empty() ? nlohmann::json() : nlohmann::json(asked.entry)},
      {"failed", asked.failed ? nlohmann::json(asked.failed->message()) : nlohmann::json()},
      {"note", kIntervalCovers}};
}

Result<void> QueryDesk::show(const sql::BatchAsked& asked, const sql::BatchPlan& plan,
                             const std::vector<AnswerFile>& files) const {
  std::string text;
  for (std::size_t i = 0; i < asked.answers.size(); ++i) {
    const sql::Answer& answer = asked.answers[i].answer;
    text += heading(i, plan);
    if (files.empty()) {
      text += answer_table(answer);
    } else {
      TACIT_RETURN_IF_ERROR(files[i].write(answer));
      text += fmt::format("{}: {} row{}\n", numbered(answers_.output, i), answer.rows(),
                          answer.rows() == 1 ? "" : "s");
    }
    TACIT_ASSIGN_OR_RETURN(const auto facts,
                           settled_facts({asked.answers[i], plan.statements[i], *target_}));
    text += learned_note(facts) + provenance(asked.answers[i]) + "\n";
  }
  if (answers_.format == "json") {
    TACIT_ASSIGN_OR_RETURN(const nlohmann::json value, json(asked, plan));
    session_->print(value);
    return {};
  }
  TACIT_ASSIGN_OR_RETURN(const std::string words, footer(asked, plan));
  session_->print(text + words);
  return {};
}

}  // namespace tacit::cli
