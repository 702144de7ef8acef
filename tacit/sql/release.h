#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/data/engine.h"
#include "tacit/mechanisms/release.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/secure_stream.h"
#include "tacit/sql/plan.h"

namespace tacit::sql {

// The last stages: the engine aggregates, noise is added, and what is left of the query runs over
// released numbers alone.

// A column of the answer. Half-widths are NULL where there is none (a key, a text).
struct AnswerColumn {
  Field field;
  std::vector<Cell> values;
  IntervalKind interval = IntervalKind::kNone;
  std::vector<Cell> half_widths;
};

struct Answer {
  std::vector<AnswerColumn> columns;
  double confidence = kDefaultConfidence;

  [[nodiscard]] std::size_t rows() const {
    return columns.empty() ? 0 : columns.front().values.size();
  }
};

// What leaves: for each aggregation its table (key_0, ..., value_0, ..., half_width_0, ...) and the
// bounds that were learnt for it.
struct Release {
  std::vector<Table> tables;
  std::vector<LearnedBounds> learned;
  bool operator==(const Release&) const = default;
};

Result<Release> release(const QueryPlan& plan, Engine& engine, Permit&& permit,
                        SecureStream& stream);

// Runs the outer SELECT over tables of the right shape and without rows, so that one that cannot
// run is refused before anything is charged; the statement that ran is kept in the plan.
Result<void> prepare_outer(QueryPlan& plan, Engine& embedded);

// Runs the outer SELECT over the released tables, in `embedded`, a DuckDB in memory that reaches no
// file. `engine` is asked for public tables alone.
Result<Answer> finish(const QueryPlan& plan, const std::vector<Table>& released, Engine& engine,
                      Engine& embedded);

}  // namespace tacit::sql
