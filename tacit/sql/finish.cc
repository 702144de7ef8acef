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

// Makes a table without rows there, in place of an earlier one of that name.
Result<void> declare(Engine& embedded, const std::string& name, const std::vector<Field>& fields) {
  const Dialect& dialect = embedded.dialect();
  std::vector<std::string> columns;
  for (const Field& field : fields) {
    columns.push_back(dialect.identifier(field.name) + " " + dialect.type(field.type));
  }
  return embedded.execute(fmt::format("CREATE OR REPLACE TABLE {} ({})", dialect.identifier(name),
                                      fmt::join(columns, ", ")));
}

std::vector<Field> fields_of(const Answer& answer) {
  std::vector<Field> out;
  for (const AnswerColumn& column : answer.columns) out.push_back(column.field);
  return out;
}

// The answer of a statement; empty where it fails or is not of the shape that it claims.
std::optional<Answer> run(const OuterStatement& statement, double confidence, Engine& embedded) {
  auto table = embedded.query(statement.sql);
  if (!table) return std::nullopt;
  Answer out{.confidence = confidence};
  std::size_t half_widths = statement.fields.size();
  for (std::size_t i = 0; i < statement.fields.size(); ++i) {
    if (table->fields[i].type != statement.fields[i].type) return std::nullopt;
    AnswerColumn column{.field = statement.fields[i], .values = std::move(table->columns[i])};
    if (statement.kinds[i] != IntervalKind::kNone) {
      column.interval = statement.kinds[i];
      column.half_widths = std::move(table->columns.at(half_widths++));
    }
    out.columns.push_back(std::move(column));
  }
  return half_widths == table->columns.size() ? std::optional(std::move(out)) : std::nullopt;
}

// An answer and the statement that gives it.
struct Outcome {
  Answer answer;
  OuterStatement statement;
};

// The outer SELECT as the query has it: its names and types, and no half-widths.
Result<Outcome> run_plain(const QueryPlan& plan, Engine& embedded) {
  TACIT_ASSIGN_OR_RETURN(const std::string sql, to_text(embedded, plan.query.outer));
  TACIT_ASSIGN_OR_RETURN(Table table, embedded.query(sql));
  Outcome out{.answer = {.confidence = plan.options.confidence}, .statement = {.sql = sql}};
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    out.answer.columns.push_back({.field = table.fields[i], .values = std::move(table.columns[i])});
  }
  out.statement.fields = fields_of(out.answer);
  out.statement.kinds.assign(out.statement.fields.size(), IntervalKind::kNone);
  return out;
}

// The same answer with the half-widths of the `wanted` columns; empty where it is not the same, or
// where the engine cannot compute them (a function of a number may have no value beside it).
std::optional<Outcome> run_with_half_widths(const QueryPlan& plan, const Answer& plain,
                                            const std::vector<bool>& wanted, Engine& embedded) {
  auto carried = carry_half_widths(plan, wanted);
  if (!carried || overlong_part(carried->statement) != nullptr) return std::nullopt;
  auto sql = to_text(embedded, carried->statement);
  if (!sql) return std::nullopt;
  OuterStatement statement{
      .sql = *std::move(sql), .fields = fields_of(plain), .kinds = std::move(carried->kinds)};
  auto answer = run(statement, plain.confidence, embedded);
  if (!answer || answer->rows() != plain.rows()) return std::nullopt;
  return Outcome{.answer = *std::move(answer), .statement = std::move(statement)};
}

// The columns whose half-widths can be computed, each by itself.
std::vector<bool> computable(const QueryPlan& plan, const Answer& plain, std::vector<bool> wanted,
                             Engine& embedded) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    std::vector<bool> one(wanted.size());
    one[i] = true;
    wanted[i] = run_with_half_widths(plan, plain, one, embedded).has_value();
  }
  return wanted;
}

// Over released numbers and public tables: what the engine says of a failure depends on no private
// row, and may be told.
Result<Outcome> run_outer(const QueryPlan& plan, Engine& embedded, const char* remedy) {
  auto plain = run_plain(plan, embedded);
  if (!plain) {
    // The first line says what; those after it list what else there might be.
    const std::string& detail = embedded.steward_detail();
    return bad_input(
        "the part of the query over released columns fails: " + detail.substr(0, detail.find('\n')),
        "the query", remedy);
  }
  std::vector<bool> numbers;
  for (const Field& field : plain->statement.fields) numbers.push_back(field.type.is_number());
  if (std::ranges::none_of(numbers, std::identity())) return plain;
  if (auto wide = run_with_half_widths(plan, plain->answer, numbers, embedded)) {
    return *std::move(wide);
  }
  const auto fewer = computable(plan, plain->answer, numbers, embedded);
  if (auto wide = run_with_half_widths(plan, plain->answer, fewer, embedded)) {
    return *std::move(wide);
  }
  return plain;
}

std::vector<Field> fields_of(const std::vector<Column>& columns) {
  std::vector<Field> out;
  for (const Column& column : columns) out.push_back({column.name, column.type});
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

Result<void> prepare_outer(QueryPlan& plan, Engine& embedded) {
  for (std::size_t i = 0; i < plan.aggregations.size(); ++i) {
    const AggregationPlan& one = plan.aggregations[i];
    const Table none = released_table(plan.query.aggregations[i], one, {},
                                      std::vector<NoisyMeasure>(one.measures.size()),
                                      NoisyQuantiles(one.quantiles.size()));
    TACIT_RETURN_IF_ERROR(declare(embedded, fmt::format("released_{}", i), none.fields));
  }
  for (const TableSchema* table : plan.query.public_tables) {
    TACIT_RETURN_IF_ERROR(
        declare(embedded, table->name, fields_of(columns_read(plan.query.outer, *table))));
  }
  TACIT_ASSIGN_OR_RETURN(Outcome outcome, run_outer(plan, embedded, "nothing was charged"));
  plan.outer = std::move(outcome.statement);
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
  if (plan.outer) {
    if (auto answer = run(*plan.outer, plan.options.confidence, embedded)) {
      return *std::move(answer);
    }
  }
  // What runs without rows may yet fail on some number.
  TACIT_ASSIGN_OR_RETURN(
      Outcome outcome,
      run_outer(plan, embedded, "the release is on record; ask again with another outer part"));
  return std::move(outcome.answer);
}

}  // namespace tacit::sql
