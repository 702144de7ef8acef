#pragma once

#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/data/engine.h"
#include "tacit/data/schema.h"
#include "tacit/mechanisms/noise.h"
#include "tacit/sql/plan.h"
#include "tacit/sql/plan_shares.h"

namespace tacit::learn {

// What a model asks of the rows: private SQL, each question with its shares of the budget.

// A SELECT of counts and sums, perhaps for each of some public keys, in the order of the shares.
struct Question {
  std::string sql;
  sql::AggregateShares shares;
};

// What whoever asks for a model allows.
struct Allowance {
  Rational epsilon = Rational(1);
  std::optional<Rational> delta;
  // Before those of the schema.
  ContributionBounds bounds;
  double confidence = kDefaultConfidence;
};

// The plan of all questions, asked one after another. Noise is Laplace, or with a delta Gaussian
// where that is less. Touches no row and charges nothing; `schema` must outlive the plan.
Result<sql::QueryPlan> plan_questions(const std::vector<Question>& questions, const Schema& schema,
                                      const Allowance& allowance, Engine& parser);

// The plan of one question by itself, with the noise that it has in `whole`.
Result<sql::QueryPlan> plan_again(const Question& question, const Schema& schema,
                                  const sql::QueryPlan& whole, Engine& parser);

// The half-width of the noise on one aggregate of a plan, in the aggregate's own unit.
Result<double> half_width(const sql::AggregationPlan& plan, std::size_t aggregate,
                          double confidence);

}  // namespace tacit::learn
