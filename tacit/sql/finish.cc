// What is left of the query, over released numbers.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "tacit/sql/half_widths_internal.h"
#include "tacit/sql/lateral_names_internal.h"
#include "tacit/sql/outer_columns_internal.h"
#include "tacit/sql/release.h"
#include "tacit/sql/released_table_internal.h"

namespace tacit::sql {
namespace {

Result<void> drop(Engine& embedded, const std::string& name) {
  return embedded.execute("DROP TABLE IF EXISTS " + embedded.dialect().identifier(name));
}

// Puts a table into the embedded engine, in place of an earlier one of that name.
Result<void> put(Engine& embedded, const std::string& name, const Table& table) {
  TACIT_RETURN_IF_ERROR(drop(embedded, name));
  return embedded.load(name, table);
}

// The answer of the outer SELECT as the query has it: its names and types, and no half-widths.
Result<Answer> plain_answer(const QueryPlan& plan, Engine& embedded) {
  TACIT_ASSIGN_OR_RETURN(const std::string sql, to_text(embedded, plan.query.outer));
  TACIT_ASSIGN_OR_RETURN(Table table, embedded.query(sql));
  Answer out{.confidence = plan.options.confidence};
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    out.columns.push_back({.field = table.fields[i], .values = std::move(table.columns[i])});
  }
  return out;
}

// The same answer with the half-widths of the `wanted` columns; empty where it is not the same, or
// where the engine cannot compute them (a function of a number may have no value beside it).
std::optional<Answer> answer_with_half_widths(const QueryPlan& plan, const Answer& plain,
                                              const std::vector<bool>& wanted, Engine& embedded) {
  const auto carried = carry_half_widths(plan, wanted);
  if (!carried || overlong_part(carried->statement) != nullptr) return std::nullopt;
  const auto sql = to_text(embedded, carried->statement);
  if (!sql) return std::nullopt;
  auto table = embedded.query(*sql);
  if (!table) return std::nullopt;
  Answer out{.confidence = plain.confidence};
  std::size_t half_widths = plain.columns.size();
  for (std::size_t i = 0; i < plain.columns.size(); ++i) {
    if (table->fields[i].type != plain.columns[i].field.type) return std::nullopt;
    AnswerColumn column{.field = plain.columns[i].field, .values = std::move(table->columns[i])};
    if (carried->kinds[i] != IntervalKind::kNone) {
      column.interval = carried->kinds[i];
      column.half_widths = std::move(table->columns.at(half_widths++));
    }
    out.columns.push_back(std::move(column));
  }
  const bool is_same = half_widths == table->columns.size() && out.rows() == plain.rows();
  return is_same ? std::optional(std::move(out)) : std::nullopt;
}

// The columns whose half-widths can be computed, each by itself.
std::vector<bool> computable(const QueryPlan& plan, const Answer& plain, std::vector<bool> wanted,
                             Engine& embedded) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    std::vector<bool> one(wanted.size());
    one[i] = true;
    wanted[i] = answer_with_half_widths(plan, plain, one, embedded).has_value();
  }
  return wanted;
}

// Over released numbers and public tables: what the engine says of a failure depends on no private
// row, and may be told.
Result<Answer> run_outer(const QueryPlan& plan, Engine& embedded, const char* remedy) {
  auto plain = plain_answer(plan, embedded);
  if (!plain) {
    // The first line says what; those after it list what else there might be.
    const std::string& detail = embedded.steward_detail();
    return bad_input(
        "the part of the query over released columns fails: " + detail.substr(0, detail.find('\n')),
        "the query", remedy);
  }
  std::vector<bool> numbers;
  for (const AnswerColumn& column : plain->columns) {
    numbers.push_back(column.field.type.is_number());
  }
  if (std::ranges::none_of(numbers, std::identity())) return plain;
  if (auto answer = answer_with_half_widths(plan, *plain, numbers, embedded)) return *answer;
  const auto fewer = computable(plan, *plain, numbers, embedded);
  return answer_with_half_widths(plan, *plain, fewer, embedded).value_or(*std::move(plain));
}

Table empty_table(const std::vector<Column>& columns) {
  Table out;
  for (const Column& column : columns) out.fields.push_back({column.name, column.type});
  out.columns.resize(out.fields.size());
  return out;
}

// Copies what is read of a public table next to the released ones.
Result<void> copy_rows(const TableSchema& table, const std::vector<Column>& columns, Engine& engine,
                       Engine& embedded) {
  const Dialect& dialect = engine.dialect();
  std::vector<std::string> values;
  for (const Column& column : columns) {
    const std::string name = dialect.identifier(column.name);
    values.push_back(fmt::format("{} AS {}", dialect.read_as(name, column.type), name));
  }
  const std::string sql =
      fmt::format("SELECT {} FROM {} AS public_rows", fmt::join(values, ", "), table.source);
  if (&dialect == &embedded.dialect()) {
    TACIT_RETURN_IF_ERROR(drop(embedded, table.name));
    return engine.copy(sql, embedded, table.name);
  }
  TACIT_ASSIGN_OR_RETURN(const Table rows, engine.query(sql));
  return put(embedded, table.name, rows);
}

}  // namespace

Result<void> check_outer(const QueryPlan& plan, Engine& embedded) {
  for (std::size_t i = 0; i < plan.aggregations.size(); ++i) {
    const AggregationPlan& one = plan.aggregations[i];
    const Table none = released_table(plan.query.aggregations[i], one, {},
                                      std::vector<NoisyMeasure>(one.measures.size()),
                                      NoisyQuantiles(one.quantiles.size()));
    TACIT_RETURN_IF_ERROR(put(embedded, fmt::format("released_{}", i), none));
  }
  for (const TableSchema* table : plan.query.public_tables) {
    TACIT_RETURN_IF_ERROR(
        put(embedded, table->name, empty_table(columns_read(plan.query.outer, *table))));
  }
  TACIT_RETURN_IF_ERROR(run_outer(plan, embedded, "nothing was charged"));
  return {};
}

Result<Answer> finish(const QueryPlan& plan, const std::vector<Table>& released, Engine& engine,
                      Engine& embedded) {
  for (std::size_t i = 0; i < released.size(); ++i) {
    TACIT_RETURN_IF_ERROR(put(embedded, fmt::format("released_{}", i), released[i]));
  }
  for (const TableSchema* table : plan.query.public_tables) {
    TACIT_RETURN_IF_ERROR(
        copy_rows(*table, columns_read(plan.query.outer, *table), engine, embedded));
  }
  return run_outer(plan, embedded, "the release is on record; ask again with another outer part");
}

}  // namespace tacit::sql
