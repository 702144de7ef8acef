#include "tacit/sql/ask.h"

#include <fmt/format.h>

#include <utility>

#include "tacit/random/secure_stream.h"
#include "tacit/sql/after_charge.h"
#include "tacit/sql/aggregate_sql.h"
#include "tacit/sql/ask_internal.h"
#include "tacit/sql/bind.h"
#include "tacit/sql/fingerprint.h"
#include "tacit/sql/learned.h"
#include "tacit/sql/release_record.h"

namespace tacit::sql {
namespace {

std::string entry_name(const Head& head) {
  return fmt::format("{}:{}", head.sequence, head.digest.hex());
}

Result<Asked> release_anew(const QueryPlan& plan, const Asker& asker, const Digest& digest,
                           Ledger& ledger, Engine& engine, Engine& embedded) {
  TACIT_ASSIGN_OR_RETURN(SecureStream stream, SecureStream::create());
  TACIT_RETURN_IF_ERROR(engine.reconnect());
  TACIT_ASSIGN_OR_RETURN(Permit permit, ledger.reserve({.account = asker.account,
                                                        .cost = plan.cost,
                                                        .who = asker.who,
                                                        .note = asker.note,
                                                        .fingerprint = digest}));
  Asked out{.entry = permit.entry()};
  const auto released = release(plan, engine, std::move(permit), stream);
  if (!released) return after_charge(released.error(), out.entry);
  std::string record = to_record(*released);
  out.learned = released->learned;
  out.release = Digest::of(record);
  const auto kept = ledger.record_release(
      {.entry = out.entry, .fingerprint = digest, .bytes = std::move(record)});
  if (!kept) out.not_recorded = kept.error();
  auto answer = finish(plan, released->tables, engine, embedded);
  if (!answer) return after_charge(std::move(answer).error(), out.entry);
  out.answer = *std::move(answer);
  return out;
}

}  // namespace

Result<Asked> give_again(const Ledger::RecordedRelease& recorded, const QueryPlan& plan,
                         Engine& engine, Engine& embedded) {
  TACIT_ASSIGN_OR_RETURN(const auto released, from_record(recorded.bytes));
  if (released.tables.size() != plan.aggregations.size()) {
    return world_failed("the release on record is of another question", "ledger",
                        "--fresh pays for a new one");
  }
  TACIT_ASSIGN_OR_RETURN(Answer answer, finish(plan, released.tables, engine, embedded));
  return Asked{.answer = std::move(answer),
               .entry = entry_name(recorded.paid),
               .learned = released.learned,
               .release = Digest::of(recorded.bytes),
               .on_record = OnRecord{.who = recorded.entry.who, .time = recorded.entry.time}};
}

Result<void> check_runs(QueryPlan& plan, Engine& embedded) {
  for (std::size_t i = 0; i < plan.aggregations.size(); ++i) {
    const Aggregation& aggregation = plan.query.aggregations[i];
    const AggregationPlan& one = plan.aggregations[i];
    TACIT_RETURN_IF_ERROR(check_length(measure_statements(aggregation, one, duckdb_dialect(), "")));
    TACIT_RETURN_IF_ERROR(check_length(learner_statements(aggregation, one, duckdb_dialect())));
  }
  return prepare_outer(plan, embedded);
}

Result<QueryPlan> prepare(const std::string& text, const Schema& schema, const PlanOptions& options,
                          Engine& embedded) {
  TACIT_ASSIGN_OR_RETURN(BoundQuery query, bind(QueryText(text), schema, embedded));
  return prepare(std::move(query), schema, options, embedded);
}

Result<QueryPlan> prepare(BoundQuery query, const Schema& schema, const PlanOptions& options,
                          Engine& embedded) {
  TACIT_ASSIGN_OR_RETURN(QueryPlan out, plan(std::move(query), schema, options));
  TACIT_RETURN_IF_ERROR(check_runs(out, embedded));
  return out;
}

Result<Asked> ask(const QueryPlan& plan, const Asker& asker, Ledger& ledger, Engine& engine,
                  Engine& embedded) {
  if (plan.aggregations.empty()) {
    TACIT_ASSIGN_OR_RETURN(Answer answer, finish(plan, {}, engine, embedded));
    return Asked{.answer = std::move(answer)};
  }
  const Digest digest = fingerprint(plan, asker.account.dataset, engine.dialect());
  if (!asker.fresh) {
    TACIT_ASSIGN_OR_RETURN(const auto recorded, ledger.find_release(asker.account.dataset, digest));
    if (recorded) return give_again(*recorded, plan, engine, embedded);
  }
  return release_anew(plan, asker, digest, ledger, engine, embedded);
}

}  // namespace tacit::sql
