#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/query_target.h"
#include "tacit/data/engine.h"
#include "tacit/learn/answers.h"
#include "tacit/learn/features.h"
#include "tacit/learn/presented.h"
#include "tacit/learn/questions.h"
#include "tacit/learn/terms.h"
#include "tacit/ledger/ledger.h"

namespace tacit::cli {

// The options that every verb below 'tacit learn' has.
struct LearnOptions {
  QueryOptions query;  // of which dataset, prices, bounds and the writer are given
  std::string from;
  std::string columns;
  std::vector<std::string> ranges;
  std::string output;
  std::string certificate;
  bool fresh = false;
  bool plan = false;

  enum class Columns : bool { kOptional, kRequired };
  void add_options(CLI::App& verb, Columns needed = Columns::kRequired);
};

// The parts of a list that stand between commas outside of parentheses and quotes.
std::vector<std::string> listed(const std::string& text);
// "age=0..110"
Result<learn::NamedRange> named_range(const std::string& text);

// Where a model is planned, paid for, made and shown.
class LearnDesk {
 public:
  static Result<LearnDesk> open(const LearnOptions& options, Session& session);

  [[nodiscard]] Result<learn::Rows> rows() const;
  [[nodiscard]] const learn::Allowance& allowance() const { return allowance_; }
  [[nodiscard]] const Schema& schema() const { return target_->schema; }
  Engine& embedded() { return embedded_; }
  [[nodiscard]] bool only_plan() const { return options_.plan; }

  // What the model would cost; charges nothing.
  Result<void> show_plan(const learn::Terms& terms) const;
  Result<void> show_plan(const sql::QueryPlan& plan) const;
  // That of the engine in which the rows are.
  [[nodiscard]] Result<const Dialect*> dialect() const;

  // Opens the engine and calls make(asker, place) under a watch for Ctrl-C.
  template <class Make>
  auto make(const std::string& note, const Make& make_model)
      -> decltype(make_model(sql::Asker(), std::declval<const learn::Place&>())) {
    TACIT_ASSIGN_OR_RETURN(Engine * engine, open_rows());
    const auto watch = watched(*engine);
    return make_model(asker(note), learn::Place{target_->schema, *ledger_, *engine, embedded_});
  }

  // Writes the files that were asked for and prints the rest.
  Result<void> show(const learn::Presented& model, const sql::Asked& asked,
                    const learn::Terms& terms, const std::string& note);
  Result<void> show(const learn::Presented& model, const sql::Asked& asked,
                    const sql::QueryPlan& plan, const std::string& note);

 private:
  LearnDesk(LearnOptions options, Session& session, std::unique_ptr<QueryTarget> target,
            std::unique_ptr<Ledger> ledger, Engine embedded)
      : options_(std::move(options)),
        session_(&session),
        target_(std::move(target)),
        ledger_(std::move(ledger)),
        embedded_(std::move(embedded)) {}

  // The terms of a model that is made by questions of private SQL alone.
  [[nodiscard]] Result<learn::Terms> terms(const sql::QueryPlan& plan) const;
  Result<Engine*> open_rows();
  // Holds Ctrl-C for the engine while it lives.
  static std::shared_ptr<void> watched(Engine& engine);
  [[nodiscard]] sql::Asker asker(const std::string& note) const;
  Result<void> certify(const sql::Asked& asked, const learn::Terms& terms, const std::string& note);
  [[nodiscard]] Result<std::string> paid_text(const sql::Asked& asked,
                                              const learn::Terms& terms) const;

  LearnOptions options_;
  Session* session_;
  std::unique_ptr<QueryTarget> target_;  // plans point into its schema
  std::unique_ptr<Ledger> ledger_;
  Engine embedded_;
  std::optional<Engine> rows_;
  learn::Allowance allowance_;
};

}  // namespace tacit::cli
