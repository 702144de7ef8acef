#pragma once

#include <string>
#include <vector>

#include "tacit/data/engine.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/secure_stream.h"
#include "tacit/sql/plan.h"

namespace tacit::sql {

// Bounds that are learnt from the rows, privately, before the rest of a query is released. What is
// reserved does not depend on what is learnt, so it is paid for together with the query (proof.md,
// "Bounds that are learnt").
//
//   rows    each unit gives one number, the most rows that it has in any group
//   groups  each unit gives one number, in how many groups it has rows
//   ranges  each unit gives its least and its greatest value (where a row is a unit, its value)
//
// Of the numbers the quantile 9/10 is drawn; the values are counted in bins of signed powers of
// two, and the outermost bins of enough units are the range.

struct LearnerStatement {
  std::string sql;
  // An expression is too long to be written; the statement must not be run.
  bool too_long = false;
};

// One for each learner: rows, groups, ranges. Columns: a number and how many units gave it; for a
// range the bins of the least and the greatest value, and how many units have both.
std::vector<LearnerStatement> learner_statements(const Aggregation& aggregation,
                                                 const AggregationPlan& plan,
                                                 const Dialect& dialect);

// Refuses a statement that is too long.
Result<void> check_length(const std::vector<LearnerStatement>& statements);

// Runs all learners of an aggregation, consuming their parts of the permit.
Result<LearnedBounds> learn(const Aggregation& aggregation, const AggregationPlan& plan,
                            Engine& engine, Permit& permit, SecureStream& stream);

// The plan with the bounds that were learnt in place of those it stands in for; the same cost.
Result<AggregationPlan> settle(const Aggregation& aggregation, const AggregationPlan& reserved,
                               LearnedBounds learned, Neighbours neighbours, double confidence);

// Every aggregation settled with what was learnt for it, where something was.
Result<QueryPlan> settle(const QueryPlan& plan, const std::vector<LearnedBounds>& learned);

// The widest bounds that the learners of a plan can find.
LearnedBounds widest(const Learners& learners);

}  // namespace tacit::sql
