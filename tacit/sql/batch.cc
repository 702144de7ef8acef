#include "tacit/sql/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "tacit/privacy/pure.h"
#include "tacit/random/secure_stream.h"
#include "tacit/sql/after_charge.h"
#include "tacit/sql/ask_internal.h"
#include "tacit/sql/bind.h"
#include "tacit/sql/emit.h"
#include "tacit/sql/fingerprint.h"
#include "tacit/sql/plan_part_internal.h"
#include "tacit/sql/release_internal.h"
#include "tacit/sql/release_record.h"
#include "tacit/sql/statements.h"

namespace tacit::sql {
namespace {

// What the ledger keeps of a question.
constexpr std::size_t kLongestBatch = std::size_t{1} << 16U;

std::unexpected<Error> in_statement(std::size_t index, Error error) {
  error.where = fmt::format("statement {}{}{}", index + 1, error.where.empty() ? "" : ", ",
                            error.where == "the query" ? "as a whole" : error.where);
  return std::unexpected(std::move(error));
}

// A text that is the same for two aggregations of the same rows in the same groups, whose
// aggregates are then over the same columns. Nothing where it would be too long.
std::optional<std::string> rows_and_groups(const Aggregation& aggregation) {
  Emitter emitter(duckdb_dialect());
  const FlatSelect flat = emitter.flatten(*aggregation.input);
  std::string out = emitter.select(flat, flat.columns);
  for (const std::size_t column : aggregation.input->unit())
    out += fmt::format("; unit {}", column);
  for (const RelationColumn& column : aggregation.input->columns()) out += "; " + name(column.type);
  for (const GroupKey& key : aggregation.keys) {
    out += "; key " + emitter.expression(*key.expression, flat.columns) + " " +
           name(key.expression->type());
  }
  return emitter.too_long() ? std::nullopt : std::optional(std::move(out));
}

std::vector<std::size_t> aggregates_at(const BatchPlace& place, const Aggregation& aggregation) {
  std::vector<std::size_t> out(aggregation.aggregates.size());
  std::iota(out.begin(), out.end(), place.first);
  return out;
}

bool is_gaussian(const AggregationPlan& plan) {
  return std::ranges::any_of(plan.measures, [](const Measure& measure) {
    return !std::holds_alternative<PureTarget>(measure.target);
  });
}

Result<QueryPlan> statement_plan(const BatchStatement& statement, const QueryPlan& whole) {
  QueryPlan out{.query = statement.query, .options = whole.options, .neighbours = whole.neighbours};
  std::vector<std::optional<Cost>> costs;
  for (std::size_t i = 0; i < statement.places.size(); ++i) {
    const BatchPlace& place = statement.places[i];
    out.aggregations.push_back(part_of(whole.aggregations[place.aggregation],
                                       aggregates_at(place, statement.query.aggregations[i])));
    TACIT_ASSIGN_OR_RETURN(Cost cost, cost_of(out.aggregations.back()));
    costs.emplace_back(std::move(cost));
  }
  out.gaussian = std::ranges::any_of(out.aggregations, is_gaussian);
  out.composition = composition_of(out.query, out.aggregations, out.neighbours);
  TACIT_ASSIGN_OR_RETURN(out.cost, cost_of(out.composition, costs, whole.neighbours));
  if (const auto epsilon = pure_epsilon(out.cost)) out.options.epsilon = *epsilon;
  return out;
}

// Where the whole cannot be planned, the first statement that cannot by itself is to blame.
std::unexpected<Error> blamed(Error error, const BoundBatch& batch, const Schema& schema,
                              PlanOptions options) {
  options.shares.clear();
  for (std::size_t i = 0; i < batch.statements.size(); ++i) {
    const auto alone = plan(batch.statements[i].query, schema, options);
    if (!alone) return in_statement(i, alone.error());
  }
  return std::unexpected(std::move(error));
}

// The shares that `options` name of statements, by their numbers, as shares of their aggregates. In
// `whole` each aggregate is then called by where it stands, which no two are.
Result<std::vector<ColumnShare>> shares_of_aggregates(const BoundBatch& batch,
                                                      const std::vector<ColumnShare>& named,
                                                      BoundQuery& whole) {
  std::vector<ColumnShare> out;
  std::set<std::string> unknown;
  for (const ColumnShare& each : named) unknown.insert(each.column);
  for (std::size_t s = 0; s < batch.statements.size(); ++s) {
    const BatchStatement& statement = batch.statements[s];
    std::vector<Aggregate*> aggregates;
    for (std::size_t i = 0; i < statement.places.size(); ++i) {
      const BatchPlace& place = statement.places[i];
      for (const std::size_t j : aggregates_at(place, statement.query.aggregations[i])) {
        aggregates.push_back(&whole.aggregations[place.aggregation].aggregates[j]);
      }
    }
    const std::string number = std::to_string(s + 1);
    const auto share = std::ranges::find(named, number, &ColumnShare::column);
    if (unknown.erase(number) == 0 && !aggregates.empty()) {
      return bad_input(fmt::format("statement {} has no share", number), "--share",
                       "name every statement by its number, for example: --share 1=3,2=1");
    }
    if (share != named.end() && share->share.sign() <= 0) {
      return bad_input(fmt::format("the share of statement {} must be above 0", number), "--share",
                       "give a number such as 0.5");
    }
    for (std::size_t j = 0; j < aggregates.size(); ++j) {
      aggregates[j]->text = fmt::format("{}.{}", number, j);
      out.push_back(
          {.column = aggregates[j]->text,
           .share = share->share / Rational(static_cast<std::int64_t>(aggregates.size()))});
    }
  }
  if (unknown.empty()) return out;
  return bad_input(fmt::format("there is no statement {}", *unknown.begin()), "--share",
                   "statements of a batch are numbered from 1");
}

Result<QueryPlan> plan_whole(const BoundBatch& batch, const Schema& schema,
                             const PlanOptions& options) {
  if (options.shares.empty()) return plan(batch.whole, schema, options);
  BoundQuery whole = batch.whole;
  PlanOptions shared = options;
  TACIT_ASSIGN_OR_RETURN(shared.shares, shares_of_aggregates(batch, options.shares, whole));
  TACIT_ASSIGN_OR_RETURN(QueryPlan out, plan(std::move(whole), schema, shared));
  out.query = batch.whole;
  out.options = options;
  return out;
}

// What of a batch is released now: what statements ask that are not on record.
class Releases {
 public:
  Releases(const BatchPlan& plan, const std::vector<bool>& wanted)
      : plan_(plan), aggregates_(plan.whole.aggregations.size()), tables_(aggregates_.size()) {
    for (std::size_t s = 0; s < plan.statements.size(); ++s) {
      if (wanted[s]) want(plan.bound.statements[s]);
    }
  }

  // Of all that is wanted, as it composes.
  Result<Cost> cost() {
    costs_.assign(aggregates_.size(), std::nullopt);
    for (std::size_t i = 0; i < aggregates_.size(); ++i) {
      if (aggregates_[i].empty()) continue;
      TACIT_ASSIGN_OR_RETURN(costs_[i], cost_of(part(i)));
    }
    return cost_of(plan_.whole.composition, costs_, plan_.whole.neighbours);
  }

  Result<void> permit(Permit&& permit) {
    TACIT_ASSIGN_OR_RETURN(permits_,
                           permits_of(plan_.whole.composition, costs_, std::move(permit)));
    return {};
  }

  // The tables of one statement; those that an earlier one had released already are not again.
  Result<Release> tables_of(const BatchStatement& statement, Engine& engine, SecureStream& stream) {
    Release out;
    for (std::size_t i = 0; i < statement.places.size(); ++i) {
      const BatchPlace& place = statement.places[i];
      const Aggregation& asked = statement.query.aggregations[i];
      TACIT_ASSIGN_OR_RETURN(const ReleasedTable* one, released(place.aggregation, engine, stream));
      std::vector<std::size_t> columns;
      for (const std::size_t aggregate : aggregates_at(place, asked)) {
        const auto& all = aggregates_[place.aggregation];
        columns.push_back(
            static_cast<std::size_t>(std::ranges::find(all, aggregate) - all.begin()));
      }
      out.tables.push_back(part_of(one->table, asked.keys.size(), columns));
      out.learned.push_back(one->learned);
    }
    return out;
  }

 private:
  void want(const BatchStatement& statement) {
    for (std::size_t i = 0; i < statement.places.size(); ++i) {
      const BatchPlace& place = statement.places[i];
      for (const std::size_t index : aggregates_at(place, statement.query.aggregations[i])) {
        aggregates_[place.aggregation].push_back(index);
      }
    }
  }

  [[nodiscard]] AggregationPlan part(std::size_t index) const {
    return part_of(plan_.whole.aggregations[index], aggregates_[index]);
  }

  Result<const ReleasedTable*> released(std::size_t index, Engine& engine, SecureStream& stream) {
    std::optional<ReleasedTable>& kept = tables_[index];
    if (kept) return &*kept;
    const Aggregation asked = part_of(plan_.whole.query.aggregations[index], aggregates_[index]);
    std::optional<Permit> permit = std::exchange(permits_[index], std::nullopt);
    if (!permit) return world_failed("this release was not paid for", "batch");
    TACIT_ASSIGN_OR_RETURN(auto table, release_table(asked, part(index), plan_.whole.neighbours,
                                                     plan_.whole.options.confidence, engine,
                                                     *std::move(permit), stream));
    return &kept.emplace(std::move(table));
  }

  const BatchPlan& plan_;
  // Of each aggregation of the batch, the aggregates that are wanted.
  std::vector<std::vector<std::size_t>> aggregates_;
  std::vector<std::optional<Cost>> costs_;
  std::vector<std::optional<Permit>> permits_;
  std::vector<std::optional<ReleasedTable>> tables_;
};

// Answers the statements of a batch one after another.
class Answering {
 public:
  Answering(const BatchPlan& plan, const Asker& asker, Ledger& ledger, Engine& engine,
            Engine& embedded)
      : plan_(plan), asker_(asker), ledger_(ledger), engine_(engine), embedded_(embedded) {}

  Result<BatchAsked> run() {
    TACIT_RETURN_IF_ERROR(look_up());
    std::vector<bool> wanted;
    for (std::size_t s = 0; s < plan_.statements.size(); ++s) wanted.push_back(!on_record_[s]);
    Releases releases(plan_, wanted);
    TACIT_ASSIGN_OR_RETURN(SecureStream stream, SecureStream::create());
    TACIT_RETURN_IF_ERROR(pay(releases));
    for (std::size_t s = 0; s < plan_.statements.size(); ++s) {
      auto asked = answer(s, releases, stream);
      if (!asked) {
        out_.failed = in_statement(s, std::move(asked).error()).error();
        break;
      }
      out_.answers.push_back(*std::move(asked));
    }
    return std::move(out_);
  }

 private:
  Result<void> look_up() {
    for (const QueryPlan& statement : plan_.statements) {
      digests_.push_back(fingerprint(statement, asker_.account.dataset, engine_.dialect()));
      on_record_.emplace_back();
      if (asker_.fresh || statement.aggregations.empty()) continue;
      TACIT_ASSIGN_OR_RETURN(on_record_.back(),
                             ledger_.find_release(asker_.account.dataset, digests_.back()));
    }
    return {};
  }

  // One reservation for all that is not on record: it fits or nothing happens.
  Result<void> pay(Releases& releases) {
    const auto asks = [&](std::size_t s) {
      return !on_record_[s] && !plan_.statements[s].aggregations.empty();
    };
    std::vector<std::size_t> all(plan_.statements.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (std::ranges::none_of(all, asks)) return {};
    TACIT_ASSIGN_OR_RETURN(const Cost cost, releases.cost());
    TACIT_RETURN_IF_ERROR(engine_.reconnect());
    TACIT_ASSIGN_OR_RETURN(
        Permit permit,
        ledger_.reserve(
            {.account = asker_.account, .cost = cost, .who = asker_.who, .note = asker_.note}));
    out_.entry = permit.entry();
    out_.paid = cost;
    return releases.permit(std::move(permit));
  }

  Result<Asked> answer(std::size_t s, Releases& releases, SecureStream& stream) {
    const QueryPlan& plan = plan_.statements[s];
    if (plan.aggregations.empty()) {
      TACIT_ASSIGN_OR_RETURN(Answer answer, finish(plan, {}, engine_, embedded_));
      return Asked{.answer = std::move(answer)};
    }
    if (const auto& recorded = on_record_[s]) {
      return give_again(*recorded, plan, engine_, embedded_);
    }
    Asked out{.entry = out_.entry};
    const auto released = releases.tables_of(plan_.bound.statements[s], engine_, stream);
    if (!released) return after_charge(released.error(), out.entry);
    keep(s, *released, out);
    out.learned = released->learned;
    auto answer = finish(plan, released->tables, engine_, embedded_);
    if (!answer) return after_charge(std::move(answer).error(), out.entry);
    out.answer = *std::move(answer);
    return out;
  }

  // The same statement twice is one release.
  void keep(std::size_t s, const Release& released, Asked& out) {
    std::string record = to_record(released);
    out.release = Digest::of(record);
    if (std::ranges::find(kept_, digests_[s]) != kept_.end()) return;
    const auto kept = ledger_.record_release(
        {.entry = out.entry, .fingerprint = digests_[s], .bytes = std::move(record)});
    if (!kept) out.not_recorded = kept.error();
    kept_.push_back(digests_[s]);
  }

  const BatchPlan& plan_;
  const Asker& asker_;
  Ledger& ledger_;
  Engine& engine_;
  Engine& embedded_;
  std::vector<Digest> digests_;
  std::vector<std::optional<Ledger::RecordedRelease>> on_record_;
  std::vector<Digest> kept_;
  BatchAsked out_;
};

}  // namespace

BoundBatch together(std::vector<BatchStatement> statements) {
  BoundBatch out{.statements = std::move(statements)};
  out.whole.outer = Json::object();
  std::map<std::string, std::size_t> known;
  for (BatchStatement& statement : out.statements) {
    statement.places.clear();
    for (const Aggregation& aggregation : statement.query.aggregations) {
      std::size_t index = out.whole.aggregations.size();
      if (const auto text = rows_and_groups(aggregation)) {
        index = known.try_emplace(*text, index).first->second;
      }
      if (index == out.whole.aggregations.size()) {
        out.whole.aggregations.push_back({.input = aggregation.input, .keys = aggregation.keys});
      }
      auto& aggregates = out.whole.aggregations[index].aggregates;
      statement.places.push_back({.aggregation = index, .first = aggregates.size()});
      std::ranges::copy(aggregation.aggregates, std::back_inserter(aggregates));
    }
  }
  return out;
}

Result<BoundBatch> bind_batch(const std::string& text, const Schema& schema, Engine& parser) {
  if (text.size() > kLongestBatch) {
    return bad_input("the batch is longer than 64 KiB", "the batch", "split it");
  }
  std::vector<BatchStatement> statements;
  for (const std::string& statement : statements_in(text)) {
    auto bound = bind(QueryText(statement), schema, parser);
    if (!bound) return in_statement(statements.size(), std::move(bound).error());
    statements.push_back(
        {.text = without_padding(statement), .query = *std::move(bound), .places = {}});
  }
  if (statements.empty()) {
    return bad_input("the batch holds no statement", "the batch",
                     "write SELECT statements, each ended by ';'");
  }
  return together(std::move(statements));
}

Result<BatchPlan> plan_batch(BoundBatch batch, const Schema& schema, const PlanOptions& options,
                             Engine& embedded) {
  auto whole = plan_whole(batch, schema, options);
  if (!whole) return blamed(std::move(whole).error(), batch, schema, options);
  BatchPlan out{.bound = std::move(batch), .whole = *std::move(whole), .statements = {}};
  for (std::size_t i = 0; i < out.bound.statements.size(); ++i) {
    TACIT_ASSIGN_OR_RETURN(QueryPlan one, statement_plan(out.bound.statements[i], out.whole));
    if (auto runs = check_runs(one, embedded); !runs) return in_statement(i, runs.error());
    out.statements.push_back(std::move(one));
  }
  return out;
}

Result<BatchAsked> ask_batch(const BatchPlan& plan, const Asker& asker, Ledger& ledger,
                             Engine& engine, Engine& embedded) {
  return Answering(plan, asker, ledger, engine, embedded).run();
}

}  // namespace tacit::sql
