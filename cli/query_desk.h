#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/answer_file.h"
#include "cli/command.h"
#include "cli/query_target.h"
#include "tacit/data/engine.h"
#include "tacit/ledger/ledger.h"
#include "tacit/sql/ask.h"
#include "tacit/sql/batch.h"
#include "tacit/sql/plan_facts.h"

namespace tacit::cli {

// How answers are shown, and where.
struct AnswerOptions {
  std::string format = "table";  // table, csv, json or arrow
  std::string output;            // a file for the answer
  std::string certificate;       // a file for the certificate
  bool fresh = false;

  void add_options(CLI::App& verb);
};

// Where questions to one dataset are answered, one after another.
class QueryDesk {
 public:
  static Result<QueryDesk> open(const QueryOptions& query, const AnswerOptions& answers,
                                AskedBy asked_by, Session& session);

  // Plans, pays, answers and prints. Refusals charge nothing.
  Result<void> answer(const std::string& statement);
  // Prints what `answer` would do and cost; touches no row.
  Result<void> plan(const std::string& statement);

  // The same for the statements of a text, planned and paid for together (query_batch.cc).
  Result<void> answer_batch(const std::string& text);
  Result<void> plan_batch(const std::string& text);

  // The tables that can be asked, and what the accounts have left, for people.
  [[nodiscard]] std::string tables() const;
  Result<std::string> budget();

 private:
  QueryDesk(const QueryOptions& query, const AnswerOptions& answers, Session& session,
            std::unique_ptr<QueryTarget> target, std::unique_ptr<Ledger> ledger)
      : query_(query),
        answers_(answers),
        session_(&session),
        target_(std::move(target)),
        ledger_(std::move(ledger)) {}

  // The engine that holds the rows, opened for the first question.
  Result<Engine*> rows();
  Result<sql::Asked> ask(const std::string& statement, const sql::QueryPlan& plan,
                         Engine& embedded);
  Result<void> show(const sql::Asked& asked, const sql::QueryPlan& plan) const;
  Result<void> certify(const sql::Asked& asked, const sql::QueryPlan& plan,
                       const std::string& statement);

  // The parts of answering a batch.
  Result<sql::BatchAsked> ask(const std::string& text, const sql::BatchPlan& plan,
                              Engine& embedded);
  Result<void> show(const sql::BatchAsked& asked, const sql::BatchPlan& plan,
                    const std::vector<AnswerFile>& files) const;
  Result<void> certify(const sql::BatchAsked& asked, const sql::BatchPlan& plan,
                       const std::string& text);
  Result<std::string> footer(const sql::BatchAsked& asked, const sql::BatchPlan& plan) const;
  Result<nlohmann::json> json(const sql::BatchAsked& asked, const sql::BatchPlan& plan) const;

  QueryOptions query_;
  AnswerOptions answers_;
  Session* session_;
  std::unique_ptr<QueryTarget> target_;  // plans point into its schema
  std::unique_ptr<Ledger> ledger_;
  std::optional<AnswerFile> file_;
  std::optional<Engine> rows_;
};

}  // namespace tacit::cli
