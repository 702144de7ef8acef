#include "tacit/sql/ask.h"

#include <utility>

#include "tacit/random/secure_stream.h"
#include "tacit/sql/bind.h"

namespace tacit::sql {

Result<QueryPlan> prepare(const std::string& text, const Schema& schema, const PlanOptions& options,
                          Engine& embedded) {
  TACIT_ASSIGN_OR_RETURN(BoundQuery query, bind(QueryText(text), schema, embedded));
  return plan(std::move(query), schema, options);
}

Result<Asked> ask(const QueryPlan& plan, const Asker& asker, Ledger& ledger, Engine& engine,
                  Engine& embedded) {
  if (plan.aggregations.empty()) {
    TACIT_ASSIGN_OR_RETURN(Answer answer, finish(plan, {}, engine, embedded));
    return Asked{.answer = std::move(answer)};
  }
  TACIT_ASSIGN_OR_RETURN(SecureStream stream, SecureStream::create());
  TACIT_ASSIGN_OR_RETURN(
      Permit permit,
      ledger.reserve(
          {.account = asker.account, .cost = plan.cost, .who = asker.who, .note = asker.note}));
  const std::string entry = permit.entry();
  TACIT_ASSIGN_OR_RETURN(const auto released, release(plan, engine, std::move(permit), stream));
  TACIT_ASSIGN_OR_RETURN(Answer answer, finish(plan, released, engine, embedded));
  return Asked{.answer = std::move(answer), .entry = entry};
}

}  // namespace tacit::sql
