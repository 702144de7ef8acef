#include "tacit/learn/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tacit/learn/on_record.h"
#include "tacit/sql/after_charge.h"
#include "tacit/sql/composition.h"
#include "tacit/sql/fingerprint.h"
#include "tacit/sql/release.h"

namespace tacit::learn {
namespace {

Result<std::vector<std::optional<Cost>>> costs_of(const sql::QueryPlan& plan) {
  std::vector<std::optional<Cost>> out;
  for (const sql::AggregationPlan& one : plan.aggregations) {
    TACIT_ASSIGN_OR_RETURN(Cost cost, sql::cost_of(one));
    out.emplace_back(std::move(cost));
  }
  return out;
}

double number_of(const Cell& cell, const Type& type) {
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  if (const auto* whole = std::get_if<int128>(&cell)) {
    double value = static_cast<double>(*whole);
    for (int i = 0; i < type.scale; ++i) value /= 10;
    return value;
  }
  return 0;
}

std::unexpected<Error> of_another_model() {
  return world_failed("the release on record is of another model", "ledger",
                      "--fresh pays for a new one");
}

Result<std::vector<AnswerRow>> rows_of(const Table& table, const sql::Aggregation& asked) {
  std::vector<AnswerRow> out(table.rows());
  const auto column = [&](const std::string& name) -> Result<std::size_t> {
    const auto found = std::ranges::find(table.fields, name, &Field::name);
    if (found == table.fields.end()) return of_another_model();
    return static_cast<std::size_t>(found - table.fields.begin());
  };
  for (std::size_t k = 0; k < asked.keys.size(); ++k) {
    TACIT_ASSIGN_OR_RETURN(const std::size_t place, column(fmt::format("key_{}", k)));
    for (std::size_t row = 0; row < out.size(); ++row) {
      out[row].keys.push_back(table.columns[place][row]);
    }
  }
  for (std::size_t j = 0; j < asked.aggregates.size(); ++j) {
    TACIT_ASSIGN_OR_RETURN(const std::size_t place, column(fmt::format("value_{}", j)));
    for (std::size_t row = 0; row < out.size(); ++row) {
      out[row].values.push_back(number_of(table.columns[place][row], table.fields[place].type));
    }
  }
  return out;
}

}  // namespace

Result<Answers> Answers::open(sql::QueryPlan plan, const sql::Asker& asker, const Place& place) {
  TACIT_ASSIGN_OR_RETURN(SecureStream stream, SecureStream::create());
  const Digest digest = sql::fingerprint(plan, asker.account.dataset, place.engine.dialect());
  Answers out(std::move(plan), place, digest, std::move(stream));
  TACIT_ASSIGN_OR_RETURN(auto recorded, find_on_record(digest, asker, place.ledger));
  if (recorded) {
    out.recorded_ = std::move(recorded->release);
    out.asked_ = std::move(recorded->asked);
    return out;
  }
  TACIT_RETURN_IF_ERROR(out.reserve(asker));
  return out;
}

Result<void> Answers::reserve(const sql::Asker& asker) {
  TACIT_ASSIGN_OR_RETURN(const auto costs, costs_of(plan_));
  TACIT_RETURN_IF_ERROR(place_.engine.reconnect());
  TACIT_ASSIGN_OR_RETURN(Permit permit, place_.ledger.reserve({.account = asker.account,
                                                               .cost = plan_.cost,
                                                               .who = asker.who,
                                                               .note = asker.note,
                                                               .fingerprint = fingerprint_}));
  asked_.entry = permit.entry();
  TACIT_ASSIGN_OR_RETURN(permits_, sql::permits_of(plan_.composition, costs, std::move(permit)));
  return {};
}

Result<Table> Answers::release(const sql::QueryPlan& question) {
  if (recorded_) {
    if (next_ < recorded_->tables.size()) return recorded_->tables[next_];
    return of_another_model();
  }
  std::optional<Permit> permit = std::exchange(permits_[next_], std::nullopt);
  if (!permit) return world_failed("this question was not paid for", "the model");
  TACIT_ASSIGN_OR_RETURN(sql::Release one,
                         sql::release(question, place_.engine, *std::move(permit), stream_));
  released_.learned.push_back(std::move(one.learned.front()));
  released_.tables.push_back(one.tables.front());
  return std::move(one.tables.front());
}

Result<std::vector<AnswerRow>> Answers::next(const Question& question) {
  if (next_ >= plan_.aggregations.size()) {
    return world_failed("the model asks more than was planned", "the model");
  }
  auto again = plan_again(question, place_.schema, plan_, place_.embedded);
  if (!again) return sql::after_charge(std::move(again).error(), asked_.entry);
  TACIT_ASSIGN_OR_RETURN(const Cost planned, sql::cost_of(plan_.aggregations[next_]));
  if (again->cost != planned) {
    return sql::after_charge(
        Error{.kind = ErrorKind::kWorld,
              .what = "the question would cost something else than was planned",
              .where = "the model"},
        asked_.entry);
  }
  auto table = release(*again);
  if (!table) return sql::after_charge(std::move(table).error(), asked_.entry);
  const sql::Aggregation& asked = again->query.aggregations.front();
  TACIT_ASSIGN_OR_RETURN(auto rows, rows_of(*table, asked));
  plan_.query.aggregations[next_] = asked;
  plan_.aggregations[next_] = std::move(again->aggregations.front());
  ++next_;
  return rows;
}

Result<sql::Asked> Answers::close() {
  if (!recorded_) keep_on_record(released_, fingerprint_, place_.ledger, asked_);
  return asked_;
}

}  // namespace tacit::learn
