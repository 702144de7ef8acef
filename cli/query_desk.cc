#include "cli/query_desk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/accounts_table.h"
#include "cli/answer_arrow.h"
#include "cli/answer_columns.h"
#include "cli/answer_facts.h"
#include "cli/answer_text.h"
#include "cli/ledger_text.h"
#include "cli/plan_text.h"
#include "cli/query_watch.h"
#include "cli/table.h"
#include "tacit/data/dataset.h"
#include "tacit/ledger/workspace_ledger.h"
#include "tacit/sql/plan_facts.h"

namespace tacit::cli {
namespace {

std::string unit_text(const Unit& unit) {
  switch (unit.kind) {
    case Unit::Kind::kPublic:
      return "public";
    case Unit::Kind::kRow:
      return "each row";
    case Unit::Kind::kColumns:
      return fmt::format("{}", fmt::join(unit.columns, " and "));
    case Unit::Kind::kPath:
      return fmt::format("that of {}", unit.parent);
  }
  return {};
}

std::string columns_text(const std::vector<Column>& columns) {
  std::vector<std::string> parts;
  for (const Column& column : columns) {
    parts.push_back(fmt::format("{} {}", column.name, name(column.type)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

void AnswerOptions::add_options(CLI::App& verb) {
  verb.add_option("--format", format, "table, csv, json or arrow (an IPC stream)")
      ->check(CLI::IsMember({"table", "csv", "json", "arrow"}))
      ->type_name("FORMAT");
  verb.add_option("-o,--output", output, "Write the answer to a .csv, .json or .parquet file")
      ->type_name("FILE");
  verb.add_option("--certificate", certificate, "Write what was proved about the answer")
      ->type_name("FILE");
  verb.add_flag("--fresh", fresh, "Pay for new noise where a release is on record");
}

Result<QueryDesk> QueryDesk::open(const QueryOptions& query, const AnswerOptions& answers,
                                  AskedBy asked_by, Session& session) {
  TACIT_ASSIGN_OR_RETURN(const Workspace workspace, workspace_of(session));
  TACIT_ASSIGN_OR_RETURN(Ledger::Options options, query.writer.options());
  TACIT_ASSIGN_OR_RETURN(Ledger opened, open_ledger(workspace, std::move(options)));
  auto ledger = std::make_unique<Ledger>(std::move(opened));
  TACIT_ASSIGN_OR_RETURN(QueryTarget target, find_target(query, asked_by, workspace, *ledger));
  QueryDesk desk(query, answers, session, std::make_unique<QueryTarget>(std::move(target)),
                 std::move(ledger));
  if (session.json) desk.answers_.format = "json";
  if (answers.format == "arrow" && ::isatty(STDOUT_FILENO) != 0) {
    return bad_input("an Arrow stream is nothing for a terminal", "--format",
                     "send it to a file or a program: > answer.arrows");
  }
  if (!answers.output.empty()) {
    TACIT_ASSIGN_OR_RETURN(desk.file_, AnswerFile::create(answers.output));
  }
  if (!answers.certificate.empty()) {
    TACIT_RETURN_IF_ERROR(check_writable(answers.certificate, "--certificate"));
  }
  return desk;
}

Result<Engine*> QueryDesk::rows() {
  if (!rows_) {
    TACIT_ASSIGN_OR_RETURN(rows_, open_engine(target_->workspace, target_->dataset));
  }
  return &*rows_;
}

Result<sql::Asked> QueryDesk::ask(const std::string& statement, const sql::QueryPlan& plan,
                                  Engine& embedded) {
  TACIT_ASSIGN_OR_RETURN(Engine * engine, rows());
  const QueryWatch watch(*engine, "the engine is at work");
  return sql::ask(plan,
                  {.account = target_->account.id,
                   .who = target_->who,
                   .note = statement,
                   .fresh = answers_.fresh},
                  *ledger_, *engine, embedded);
}

Result<void> QueryDesk::answer(const std::string& statement) {
  // A new one for each question: what one leaves behind the next must not meet.
  TACIT_ASSIGN_OR_RETURN(Engine embedded, Engine::duckdb_in_memory(Engine::Files::kRefused));
  TACIT_ASSIGN_OR_RETURN(const sql::QueryPlan plan, prepare(statement, query_, *target_, embedded));
  TACIT_ASSIGN_OR_RETURN(const sql::Asked asked, ask(statement, plan, embedded));
  TACIT_ASSIGN_OR_RETURN(target_->account, ledger_->account(target_->account.id));
  if (!answers_.certificate.empty()) TACIT_RETURN_IF_ERROR(certify(asked, plan, statement));
  return show(asked, plan);
}

Result<void> QueryDesk::plan(const std::string& statement) {
  TACIT_ASSIGN_OR_RETURN(Engine embedded, Engine::duckdb_in_memory(Engine::Files::kRefused));
  TACIT_ASSIGN_OR_RETURN(const sql::QueryPlan plan, prepare(statement, query_, *target_, embedded));
  TACIT_ASSIGN_OR_RETURN(const Dialect* dialect, dialect_of(target_->dataset));
  TACIT_ASSIGN_OR_RETURN(const sql::PlanFacts facts, sql::facts_of(plan, *dialect));
  return show_plan(facts, plan.cost, target_->account, PlanDetail::kAll, *session_);
}

Result<void> QueryDesk::certify(const sql::Asked& asked, const sql::QueryPlan& plan,
                                const std::string& statement) {
  TACIT_ASSIGN_OR_RETURN(const nlohmann::json proved,
                         answer_certificate({asked, plan, *target_}, statement, *ledger_));
  return write_text_file(answers_.certificate, proved.dump(2) + "\n");
}

Result<void> QueryDesk::show(const sql::Asked& asked, const sql::QueryPlan& plan) const {
  if (file_) TACIT_RETURN_IF_ERROR(file_->write(asked.answer));
  if (answers_.format == "json") {
    TACIT_ASSIGN_OR_RETURN(const nlohmann::json value, answer_facts({asked, plan, *target_}));
    session_->print(value);
    return {};
  }
  TACIT_ASSIGN_OR_RETURN(const std::string words, answer_footer({asked, plan, *target_}));
  if (file_) {
    const std::size_t rows = asked.answer.rows();
    session_->print(
        fmt::format("{}: {} row{}\n{}", answers_.output, rows, rows == 1 ? "" : "s", words));
  } else if (answers_.format == "csv" || answers_.format == "arrow") {
    const std::string data = answers_.format == "csv"
                                 ? answer_csv(asked.answer)
                                 : arrow_stream(with_half_widths(asked.answer));
    std::fwrite(data.data(), 1, data.size(), stdout);
    fmt::print(stderr, "{}", words);
  } else {
    session_->print(fmt::format("{}\n{}", answer_table(asked.answer), words));
  }
  return {};
}

std::string QueryDesk::tables() const {
  std::string text;
  for (const TableSchema& table : target_->schema.tables) {
    text += fmt::format("{} (unit: {})\n{}", table.name, unit_text(table.unit),
                        wrapped(columns_text(table.columns), 2));
  }
  return text;
}

Result<std::string> QueryDesk::budget() {
  TACIT_ASSIGN_OR_RETURN(target_->account, ledger_->account(target_->account.id));
  return accounts_table({target_->account});
}

}  // namespace tacit::cli
