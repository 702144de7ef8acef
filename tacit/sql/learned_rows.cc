#include "tacit/sql/learned_rows.h"

#include <fmt/format.h>

#include <utility>

#include "tacit/sql/emit.h"
#include "tacit/sql/groups_internal.h"

namespace tacit::sql {

std::string rows_statement(const Aggregation& aggregation, const Dialect& dialect) {
  Emitter emitter(dialect);
  FlatSelect flat = emitter.flatten(*aggregation.input);
  std::vector<std::string> columns;
  std::vector<std::string> unit;
  for (const std::size_t column : aggregation.input->unit()) {
    unit.push_back(fmt::format("c{}", columns.size()));
    columns.push_back(flat.columns[column]);
    if (!has_numbered_scan(*aggregation.input)) {
      flat.where.push_back(flat.columns[column] + " IS NOT NULL");
    }
  }
  for (const GroupKey& key : aggregation.keys) {
    columns.push_back(emitter.expression(*key.expression, flat.columns));
  }
  std::vector<std::string> places;
  for (std::size_t i = 1; i <= columns.size(); ++i) places.push_back(std::to_string(i));
  columns.emplace_back("count(*)");
  return fmt::format(
      "SELECT most AS r0, count(*) AS r1 FROM (SELECT max(c{0}) AS most FROM ({1} GROUP BY {2}) AS "
      "per_group GROUP BY {3}) AS per_unit GROUP BY 1",
      columns.size() - 1, emitter.select(flat, columns), join(places, ", "), join(unit, ", "));
}

Result<std::uint64_t> learn_rows(const Aggregation& aggregation, const AggregationPlan& plan,
                                 Engine& engine, Permit& permit, SecureStream& stream) {
  TACIT_ASSIGN_OR_RETURN(const Table answer,
                         engine.query(rows_statement(aggregation, engine.dialect())));
  if (answer.columns.size() != 2) {
    return world_failed("the engine answered with other columns than asked for", "engine");
  }
  std::vector<GridCount> counts;
  for (std::size_t row = 0; row < answer.rows(); ++row) {
    TACIT_ASSIGN_OR_RETURN(const int128 most,
                           exact_number(answer.columns[0][row], answer.fields[0].type, 0));
    TACIT_ASSIGN_OR_RETURN(const int128 units,
                           exact_number(answer.columns[1][row], answer.fields[1].type, 0));
    counts.push_back({saturate(most), static_cast<std::uint64_t>(units)});
  }
  TACIT_ASSIGN_OR_RETURN(Permit part, permit.take(plan.rows_learner->cost()));
  TACIT_ASSIGN_OR_RETURN(const auto drawn,
                         plan.rows_learner->release_counts(counts, std::move(part), stream));
  return static_cast<std::uint64_t>(drawn.front().value);
}

}  // namespace tacit::sql
