#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/data/engine.h"
#include "tacit/data/schema.h"
#include "tacit/ledger/ledger.h"
#include "tacit/sql/ask.h"
#include "tacit/sql/plan.h"

namespace tacit::sql {

// Several questions bound, planned and paid for together, each answered for itself.
//
//   TACIT_ASSIGN_OR_RETURN(auto bound, bind_batch("SELECT ...; SELECT ...", schema, embedded));
//   TACIT_ASSIGN_OR_RETURN(auto plan, plan_batch(std::move(bound), schema, {}, embedded));
//   TACIT_ASSIGN_OR_RETURN(auto asked, ask_batch(plan, asker, ledger, engine, embedded));
//
// One epsilon is for all of them. What several ask of the same rows in the same groups is released
// once; the budget is divided over all that is released so that the errors together are least; and
// releases that can share no unit have the whole of it each (composition.h).

// Where the aggregates of one aggregation stand among those of the batch.
struct BatchPlace {
  std::size_t aggregation = 0;
  std::size_t first = 0;  // of its aggregates, which follow one another
};

struct BatchStatement {
  std::string text;  // as it was written
  BoundQuery query;
  std::vector<BatchPlace> places;  // one for each of query.aggregations
};

struct BoundBatch {
  std::vector<BatchStatement> statements;
  // All that is to be released, with no outer SELECT.
  BoundQuery whole;
};

// Of the SELECT statements in `text`, separated by ';'. Refuses the first that cannot be bound, by
// its number and place, and a text without any. `schema` must outlive the result.
Result<BoundBatch> bind_batch(const std::string& text, const Schema& schema, Engine& parser);
// Of questions that were bound already (query.h).
BoundBatch together(std::vector<BatchStatement> statements);

struct BatchPlan {
  BoundBatch bound;
  // All releases; its cost is that of the batch.
  QueryPlan whole;
  // Each statement as a plan of its own, with the noise that it gets in the batch. Their options
  // name the epsilon of each where its noise is Laplace, elsewhere that of the batch.
  std::vector<QueryPlan> statements;
};

// The shares of `options`, where given, are of statements, by their numbers from 1; each goes in
// equal parts to what the statement asks for. Refuses what plan() refuses, by the statement's
// number, and an outer SELECT that cannot run. Touches no row and charges nothing.
Result<BatchPlan> plan_batch(BoundBatch batch, const Schema& schema, const PlanOptions& options,
                             Engine& embedded);

struct BatchAsked {
  // Of the statements in order; where one failed, of those before it.
  std::vector<Asked> answers;
  std::optional<Error> failed;
  // The entry that paid, and for what; empty where all was on record or public.
  std::string entry;
  std::optional<Cost> paid;
};

// Statements on record are given again, unless `asker.fresh`. For all others together their cost is
// reserved once, or refused and nothing is read. Each answer is put on record for itself, so that
// asking for it again, alone or in a batch that gives it the same noise, is free. What is reserved
// stays spent, whatever happens after.
Result<BatchAsked> ask_batch(const BatchPlan& plan, const Asker& asker, Ledger& ledger,
                             Engine& engine, Engine& embedded);

}  // namespace tacit::sql
