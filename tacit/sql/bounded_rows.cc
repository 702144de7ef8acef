#include "tacit/sql/bounded_rows.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "tacit/sql/emit.h"
#include "tacit/sql/statement_parts_internal.h"

namespace tacit::sql {
namespace {

std::string keyed_hash(const std::vector<std::string>& columns, const Dialect& dialect,
                       std::string_view secret) {
  std::vector<std::string> texts;
  for (const std::string& column : columns) {
    texts.push_back(dialect.cast(column, kIntegerType, kTextType));
  }
  return dialect.keyed_hash(texts, secret);
}

// Equal rows of a unit may change places: they say the same.
std::string first_of_unit(const std::string& rows, std::size_t units, std::size_t columns,
                          std::uint64_t most, const Dialect& dialect, std::string_view secret) {
  const std::vector<std::string> all = numbered_columns(units + columns);
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(units);
  const std::vector<std::string> unit(all.begin(), middle);
  const std::vector<std::string> values(middle, all.end());
  return fmt::format(
      "SELECT {0} FROM (SELECT {0}, row_number() OVER (PARTITION BY {1} ORDER BY {2}, {0}) AS "
      "place "
      "FROM ({3}) AS all_rows) AS placed WHERE place <= {4}",
      join(values, ", "), join(unit, ", "), keyed_hash(values, dialect, secret), rows, most);
}

}  // namespace

Result<std::string> bounded_rows_statement(const Aggregation& rows,
                                           const std::vector<ExpressionPtr>& columns,
                                           const AggregationPlan& plan, const Dialect& dialect,
                                           std::string_view secret) {
  Emitter emitter(dialect,
                  plan.row_is_unit ? Emitter::Numbers::kLeftOut : Emitter::Numbers::kWritten);
  FlatSelect flat = emitter.flatten(*rows.input);
  std::vector<std::string> wanted;
  if (!plan.row_is_unit) {
    for (const std::size_t column : rows.input->unit()) wanted.push_back(flat.columns[column]);
  }
  const std::size_t units = wanted.size();
  for (const ExpressionPtr& column : columns) {
    wanted.push_back(emitter.expression(*column, flat.columns));
  }
  std::vector<std::string> conditions = of_somebody(rows, flat);
  std::ranges::move(conditions, std::back_inserter(flat.where));
  std::string statement = emitter.select(flat, wanted);
  if (emitter.too_long()) return too_long_to_write();
  if (plan.row_is_unit) return statement;
  return first_of_unit(statement, units, columns.size(), plan.rows, dialect, secret);
}

}  // namespace tacit::sql
