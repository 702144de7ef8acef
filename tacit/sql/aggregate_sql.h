#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/data/dialect.h"
#include "tacit/sql/plan.h"

namespace tacit::sql {

// The statements that compute an aggregation's measures inside the engine. What one unit adds is
// bounded there, on the final unit column after all joins, so that a statement's answer is a sum
// over units of values between a measure's bounds.

// One statement and the measures it answers. Its columns are the keys, then (where `units`) the
// number of units of the group, then one for each measure; or, for a quantile, the keys, a point
// of the grid in steps and the number of values there.
struct MeasureStatement {
  std::string sql;
  std::vector<std::size_t> measures;
  bool units = false;
  std::optional<std::size_t> quantile;
  // An expression is too long to be written; the statement must not be run.
  bool too_long = false;
};

// `secret` keys the choice of which groups and values of a unit are kept; a fresh one for each run.
std::vector<MeasureStatement> measure_statements(const Aggregation& aggregation,
                                                 const AggregationPlan& plan,
                                                 const Dialect& dialect, std::string_view secret);

// Refuses a statement that is too long.
Result<void> check_length(const std::vector<MeasureStatement>& statements);

// The distinct values of columns of one public table, for public keys.
std::string public_keys_statement(const TableSchema& table, const std::vector<std::size_t>& columns,
                                  const Dialect& dialect);

}  // namespace tacit::sql
