#include "cli/learn_desk.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "cli/answer_file.h"
#include "cli/answer_text.h"
#include "cli/ledger_text.h"
#include "cli/narrow_answer.h"
#include "cli/plan_text.h"
#include "cli/query_watch.h"
#include "tacit/data/dataset.h"
#include "tacit/ledger/workspace_ledger.h"
#include "tacit/sql/certificate.h"
#include "tacit/sql/plan_facts.h"

namespace tacit::cli {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

Result<learn::Allowance> allowance_of(const QueryOptions& options, const QueryTarget& target) {
  if (options.epsilon.empty()) {
    return bad_input("say what the model may cost", "--epsilon", "for example: --epsilon 1");
  }
  TACIT_ASSIGN_OR_RETURN(const sql::PlanOptions limited, limits(options, target));
  learn::Allowance out{.delta = limited.delta, .bounds = limited.bounds};
  TACIT_ASSIGN_OR_RETURN(out.epsilon, number(options.epsilon, "--epsilon"));
  return out;
}

}  // namespace

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> out;
  std::string part;
  int depth = 0;
  char quote = 0;
  for (const char letter : text) {
    if (quote != 0) {
      if (letter == quote) quote = 0;
    } else if (letter == '"' || letter == '\'') {
      quote = letter;
    } else if (letter == '(') {
      ++depth;
    } else if (letter == ')') {
      --depth;
    } else if (letter == ',' && depth == 0) {
      out.push_back(trimmed(part));
      part.clear();
      continue;
    }
    part += letter;
  }
  if (!trimmed(part).empty() || !out.empty()) out.push_back(trimmed(part));
  return out;
}

Result<learn::NamedRange> named_range(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  const std::size_t dots = text.find("..", equals == std::string::npos ? 0 : equals);
  if (equals == std::string::npos || dots == std::string::npos) {
    return bad_input("a range is COLUMN=LOWER..UPPER", "--range",
                     "for example: --range age=0..110");
  }
  learn::NamedRange out{.feature = text.substr(0, equals), .lower = {}, .upper = {}};
  TACIT_ASSIGN_OR_RETURN(out.lower, number(text.substr(equals + 1, dots - equals - 1), "--range"));
  TACIT_ASSIGN_OR_RETURN(out.upper, number(text.substr(dots + 2), "--range"));
  return out;
}

void LearnOptions::add_options(CLI::App& verb, Columns needed) {
  verb.add_option("--from", from, "A table, or a SELECT of private rows")
      ->required()
      ->type_name("TABLE");
  verb.add_option("--columns", columns, "Numbers that the model reads: columns, expressions")
      ->required(needed == Columns::kRequired)
      ->type_name("X,Y,...");
  verb.add_option("--range", ranges, "Where none is declared: the range of a column")
      ->type_name("X=LOWER..UPPER");
  verb.add_option("--dataset", query.dataset, "The dataset asked (default: the only one)")
      ->type_name("NAME");
  verb.add_option("--epsilon", query.epsilon, "What this model may cost")->type_name("E");
  verb.add_option("--delta", query.delta, "Its delta; 0 for none (default: as 'tacit query')")
      ->type_name("D");
  verb.add_option("--max-groups", query.max_groups, "The most groups one unit may touch")
      ->type_name("N");
  verb.add_option("--max-rows", query.max_rows, "The most rows it may add to one group")
      ->type_name("N");
  verb.add_option("-o,--output", output, "Write the model to a JSON file")->type_name("FILE");
  verb.add_option("--certificate", certificate, "Write what was proved about the model")
      ->type_name("FILE");
  verb.add_flag("--fresh", fresh, "Pay for new noise where this model is on record");
  verb.add_flag("--plan", plan, "Only say what it would cost; reads no row");
  query.writer.add_options(verb);
}

Result<LearnDesk> LearnDesk::open(const LearnOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(const Workspace workspace, workspace_of(session));
  TACIT_ASSIGN_OR_RETURN(Ledger::Options writing, options.query.writer.options());
  TACIT_ASSIGN_OR_RETURN(Ledger opened, open_ledger(workspace, std::move(writing)));
  auto ledger = std::make_unique<Ledger>(std::move(opened));
  const AskedBy by = options.plan ? AskedBy::kAnybody : AskedBy::kNamed;
  TACIT_ASSIGN_OR_RETURN(QueryTarget target, find_target(options.query, by, workspace, *ledger));
  TACIT_ASSIGN_OR_RETURN(Engine embedded, Engine::duckdb_in_memory(Engine::Files::kRefused));
  if (!options.output.empty()) TACIT_RETURN_IF_ERROR(check_writable(options.output, "--output"));
  if (!options.certificate.empty()) {
    TACIT_RETURN_IF_ERROR(check_writable(options.certificate, "--certificate"));
  }
  LearnDesk desk(options, session, std::make_unique<QueryTarget>(std::move(target)),
                 std::move(ledger), std::move(embedded));
  TACIT_ASSIGN_OR_RETURN(desk.allowance_, allowance_of(options.query, *desk.target_));
  return desk;
}

Result<learn::Rows> LearnDesk::rows() const {
  learn::Rows out{.from = options_.from, .columns = listed(options_.columns), .ranges = {}};
  for (const std::string& text : options_.ranges) {
    TACIT_ASSIGN_OR_RETURN(learn::NamedRange range, named_range(text));
    out.ranges.push_back(std::move(range));
  }
  return out;
}

Result<const Dialect*> LearnDesk::dialect() const { return dialect_of(target_->dataset); }

Result<learn::Terms> LearnDesk::terms(const sql::QueryPlan& plan) const {
  TACIT_ASSIGN_OR_RETURN(const Dialect* written, dialect());
  TACIT_ASSIGN_OR_RETURN(sql::PlanFacts facts, sql::facts_of(plan, *written));
  return learn::Terms{.facts = std::move(facts), .cost = plan.cost};
}

Result<void> LearnDesk::show_plan(const learn::Terms& terms) const {
  return cli::show_plan(terms.facts, terms.cost, target_->account, PlanDetail::kPrice, *session_);
}

Result<void> LearnDesk::show_plan(const sql::QueryPlan& plan) const {
  TACIT_ASSIGN_OR_RETURN(const learn::Terms told, terms(plan));
  return show_plan(told);
}

Result<Engine*> LearnDesk::open_rows() {
  if (!rows_) {
    TACIT_ASSIGN_OR_RETURN(rows_, open_engine(target_->workspace, target_->dataset));
  }
  return &*rows_;
}

std::shared_ptr<void> LearnDesk::watched(Engine& engine) {
  return std::make_shared<QueryWatch>(engine, "the engine is at work");
}

sql::Asker LearnDesk::asker(const std::string& note) const {
  return {
      .account = target_->account.id, .who = target_->who, .note = note, .fresh = options_.fresh};
}

Result<void> LearnDesk::certify(const sql::Asked& asked, const learn::Terms& terms,
                                const std::string& note) {
  TACIT_ASSIGN_OR_RETURN(const auto paid,
                         sql::certificate_facts(asked, note, TACIT_VERSION, *ledger_));
  return write_text_file(options_.certificate, sql::certificate(terms.facts, paid).dump(2) + "\n");
}

Result<std::string> LearnDesk::paid_text(const sql::Asked& asked, const learn::Terms& terms) const {
  const std::string entry = asked.entry.substr(0, asked.entry.find(':'));
  const Budget& budget = target_->account.budget;
  TACIT_ASSIGN_OR_RETURN(const Spend left, target_->account.remaining());
  std::string paid;
  if (asked.on_record) {
    paid = fmt::format(
        "Already made on {} for {} (entry {}): the same model again, free of charge. --fresh pays "
        "for new noise.",
        time_text(asked.on_record->time), printable(asked.on_record->who), entry);
  } else {
    TACIT_ASSIGN_OR_RETURN(const Spend charge, budget.price(terms.cost));
    const std::string asked_for =
        budget.is_pure() ? "" : fmt::format(" for epsilon {:g}", allowance_.epsilon.approximate());
    paid = fmt::format("Charged to {}{}: {} (entry {}).", target_->account.id.to_string(),
                       asked_for, spend_text(charge, budget), entry);
  }
  return wrapped(fmt::format("{} Left: {}.", paid, left_spend_text(left, budget)), 0);
}

Result<void> LearnDesk::show(const learn::Presented& model, const sql::Asked& asked,
                             const learn::Terms& terms, const std::string& note) {
  TACIT_ASSIGN_OR_RETURN(target_->account, ledger_->account(target_->account.id));
  nlohmann::json json = model.json;
  json["guarantee"] = {{"epsilon", terms.facts.epsilon.to_string()},
                       {"delta", terms.facts.delta.to_string()},
                       {"entry", asked.entry}};
  if (!options_.output.empty()) {
    TACIT_RETURN_IF_ERROR(write_text_file(options_.output, json.dump(2) + "\n"));
  }
  if (!options_.certificate.empty()) TACIT_RETURN_IF_ERROR(certify(asked, terms, note));
  if (session_->json) {
    const Budget& budget = target_->account.budget;
    TACIT_ASSIGN_OR_RETURN(const Spend charge,
                           asked.on_record ? budget.zero() : budget.price(terms.cost));
    TACIT_ASSIGN_OR_RETURN(const Spend left, target_->account.remaining());
    json["account"] = target_->account.id.to_string();
    json["charged"] = to_json(charge, budget);
    json["remaining"] = to_json(left, budget);
    json["on_record"] = asked.on_record.has_value();
    session_->print(json);
    return {};
  }
  std::string text =
      fmt::format("{}\n{}", narrow_answer_table(model.table), interval_note(model.table));
  for (const std::string& remark : model.remarks) text += wrapped(remark, 0);
  TACIT_ASSIGN_OR_RETURN(const std::string paid, paid_text(asked, terms));
  session_->print(text + paid);
  return {};
}

Result<void> LearnDesk::show(const learn::Presented& model, const sql::Asked& asked,
                             const sql::QueryPlan& plan, const std::string& note) {
  TACIT_ASSIGN_OR_RETURN(const learn::Terms told, terms(plan));
  return show(model, asked, told, note);
}

}  // namespace tacit::cli
