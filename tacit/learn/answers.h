#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/data/engine.h"
#include "tacit/data/schema.h"
#include "tacit/learn/questions.h"
#include "tacit/ledger/ledger.h"
#include "tacit/random/secure_stream.h"
#include "tacit/sql/ask.h"

namespace tacit::learn {

// Where a model is made: the rows, the account that pays, a DuckDB in memory that reaches no file.
struct Place {
  const Schema& schema;
  Ledger& ledger;
  Engine& engine;
  Engine& embedded;
};

// One released group: its keys as they came, and a number for each aggregate.
struct AnswerRow {
  std::vector<Cell> keys;
  std::vector<double> values;
};

// The answers to the questions of one model, which are reserved together before the first is asked.
// What is reserved stays spent, whatever happens after. Where the same model was made before, the
// answers on record are given again and cost nothing.
class Answers {
 public:
  // Looks for the release on record (unless `asker.fresh`), or reserves the plan's cost. `plan` is
  // of plan_questions.
  static Result<Answers> open(sql::QueryPlan plan, const sql::Asker& asker, const Place& place);

  // The answer to the next question. It may differ from the one planned in conditions and keys; a
  // question that would cost anything else is refused.
  Result<std::vector<AnswerRow>> next(const Question& question);

  // After the last question: keeps the release on record and says who paid. The answer in it is
  // empty: a model's answer is the model.
  Result<sql::Asked> close();

  // The plan with every question as it was asked.
  [[nodiscard]] const sql::QueryPlan& plan() const { return plan_; }

 private:
  Answers(sql::QueryPlan plan, const Place& place, Digest fingerprint, SecureStream stream)
      : plan_(std::move(plan)),
        place_(place),
        fingerprint_(fingerprint),
        stream_(std::move(stream)) {}

  // Pays for all questions and divides the permit over them.
  Result<void> reserve(const sql::Asker& asker);
  Result<Table> release(const sql::QueryPlan& question);

  sql::QueryPlan plan_;
  Place place_;
  Digest fingerprint_;
  SecureStream stream_;
  std::vector<std::optional<Permit>> permits_;
  sql::Release released_;
  std::optional<sql::Release> recorded_;
  sql::Asked asked_;
  std::size_t next_ = 0;
};

}  // namespace tacit::learn
