#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/data/dialect.h"
#include "tacit/sql/plan.h"

namespace tacit::sql {

// A plan in words and numbers, for whoever must judge it before or after it runs. Depends on no
// row.

// A number that gets noise.
struct NoiseFacts {
  std::string what;  // "rows", "sum"
  // What one unit adds to a group lies between.
  Rational lower;
  Rational upper;
  std::string law;  // "discrete Laplace"
  std::string cost;
  double half_width = 0;  // at the plan's confidence
};

// A column that is asked for.
struct ColumnFacts {
  std::string asked;                 // as the analyst wrote it
  std::vector<std::size_t> made_of;  // of ReleaseFacts::noise; none for a quantile
  // Given where the noise does not depend on data.
  std::optional<double> half_width;
  std::string mechanism;  // "discrete Laplace", "exponential"
};

struct KeyFacts {
  std::string name;
  std::string domain;  // "12 values", "column name of nation", "private"
};

// One released table.
struct ReleaseFacts {
  std::vector<std::string> tables;
  std::string unit;  // "visits.person", "a row of visits"
  bool row_is_unit = false;
  std::uint64_t groups = 1;
  std::uint64_t rows = 0;  // 0: nothing asked depends on it
  // Rows are learnt first, privately; noise is then stated for one row, and grows with the number.
  bool learn_rows = false;
  bool cut_groups = false;
  std::vector<KeyFacts> keys;
  std::optional<std::string> selection;  // the cost of choosing private keys
  std::vector<NoiseFacts> noise;
  std::vector<ColumnFacts> columns;
  std::vector<std::string> statements;  // what the engine runs, the secret left out
};

struct PlanFacts {
  Neighbours neighbours = Neighbours::kAddRemove;
  Rational epsilon;
  Rational delta;  // 0: pure, nothing in the plan uses one
  double confidence = kDefaultConfidence;
  std::vector<ReleaseFacts> releases;
};

Result<PlanFacts> facts_of(const QueryPlan& plan, const Dialect& dialect);

Json to_json(const PlanFacts& facts);

}  // namespace tacit::sql
