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

// A bound that is learnt privately before the rest.
struct LearnedFacts {
  enum class Kind : std::uint8_t { kRows, kGroups, kRange };
  Kind kind = Kind::kRows;
  std::string what;  // "rows of a unit in a group", "range of sum(price)"
  // Where it is sought: the number, or both ends of the range.
  ValueRange within;
  std::string cost;
  // Whether it was learnt by now, and what; a number is both ends. Nothing was found where too few
  // units have values for this epsilon.
  bool settled = false;
  std::optional<ValueRange> found;
};

// The half-widths of the columns (where data do not decide them) if these bounds are learnt.
struct ExampleFacts {
  std::string bounds;  // "10 rows, 1 group"
  std::vector<std::optional<double>> half_widths;
};

// One released table.
struct ReleaseFacts {
  std::vector<std::string> tables;
  std::string unit;  // "visits.person", "a row of visits"
  bool row_is_unit = false;
  std::uint64_t groups = 1;
  std::uint64_t rows = 0;  // 0: nothing asked depends on it
  // What is learnt first. Until it is, everything else here is stated for one row and one group in
  // its place and for values from 0 to 1, and `examples` says how wide the noise is for others.
  std::vector<LearnedFacts> learned;
  std::vector<ExampleFacts> examples;
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
