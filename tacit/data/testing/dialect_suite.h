#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <span>

#include "tacit/data/engine.h"
#include "tacit/data/testing/function_cases.h"

namespace tacit {

// Checks of a dialect against a real engine, the same for every one.

inline std::string shown(const cases::Value& value) {
  return duckdb_dialect().literal(value.cell, value.type);
}

// Engines' libraries differ in the last places of a logarithm.
inline bool same_cell(const Cell& a, const Cell& b) {
  const auto* const x = std::get_if<double>(&a);
  const auto* const y = std::get_if<double>(&b);
  if (x == nullptr || y == nullptr) return a == b;
  if (std::isnan(*x) || std::isnan(*y)) return std::isnan(*x) && std::isnan(*y);
  return *x == *y || std::abs(*x - *y) <= 1e-14 * std::abs(*y);
}

// What an expression over the columns of a row must be worth. The columns are named when the query
// is written.
struct ValueCheck {
  std::function<std::string(std::span<const std::string>)> expression;
  std::vector<cases::Value> row;
  cases::Value expected;
  std::string what;
};

// A table of one row, in which an engine cannot foresee the values, and an expression a column.
inline std::string value_query(const Dialect& dialect, std::span<const ValueCheck> checks,
                               std::vector<std::string>& expressions) {
  std::vector<std::string> literals;
  std::vector<std::string> names;
  std::vector<std::string> columns;
  for (const ValueCheck& check : checks) {
    const std::size_t first = names.size();
    for (const cases::Value& value : check.row) {
      literals.push_back(dialect.literal(value.cell, value.type));
      names.push_back(fmt::format("a{}", names.size()));
    }
    expressions.push_back(check.expression(std::span(names).subspan(first)));
    columns.push_back(fmt::format("{} AS value{}", expressions.back(), columns.size()));
  }
  return fmt::format("SELECT {} FROM (VALUES ({})) AS t({})", fmt::join(columns, ", "),
                     fmt::join(literals, ", "), fmt::join(names, ", "));
}

inline void expect_values(Engine& engine, std::span<const ValueCheck> checks) {
  const Dialect& dialect = engine.dialect();
  std::vector<std::string> expressions;
  const auto table = engine.query(value_query(dialect, checks, expressions));
  if (!table && checks.size() > 1) {  // one of them is to blame
    for (const ValueCheck& check : checks) expect_values(engine, {&check, 1});
    return;
  }
  ASSERT_TRUE(table) << checks[0].what << "\n" << expressions[0] << "\n" << engine.steward_detail();
  ASSERT_EQ(table->rows(), 1U);
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const auto& [expression, row, expected, what] = checks[i];
    const Type& type = table->fields[i].type;
    EXPECT_TRUE(same_cell(table->columns[i][0], expected.cell))
        << what << " is " << shown({table->columns[i][0], type}) << ", expected " << shown(expected)
        << "\n"
        << expressions[i];
    // PostgreSQL's numeric has no type of its own in a result.
    if (dialect.name() == "postgresql") continue;
    EXPECT_EQ(name(type), name(expected.type)) << what << "\n" << expressions[i];
  }
}

// As many checks a query as make the engine's own overhead small.
inline void expect_in_batches(Engine& engine, std::span<const ValueCheck> checks) {
  constexpr std::size_t kBatch = 40;
  for (std::size_t i = 0; i < checks.size(); i += kBatch) {
    expect_values(engine, checks.subspan(i, std::min(kBatch, checks.size() - i)));
  }
}

// `written` makes an operand of the name of a column.
inline void check_functions(
    Engine& engine,
    const std::function<std::string(const std::string&)>& written = std::identity()) {
  const Dialect& dialect = engine.dialect();
  std::vector<ValueCheck> checks;
  for (const cases::FunctionCase& each : cases::function_cases()) {
    std::vector<Type> types;
    std::string what = fmt::format("function {} of", static_cast<int>(each.function));
    for (const cases::Value& value : each.arguments) {
      types.push_back(value.type);
      what += " " + shown(value);
    }
    const auto call = [&dialect, &written, each, types](std::span<const std::string> names) {
      std::vector<std::string> arguments;
      for (const std::string& column : names) arguments.push_back(written(column));
      if (each.function == Function::kLike) {
        arguments[1] = dialect.literal(each.arguments[1].cell, kTextType);
      }
      return dialect.call(each.function, arguments, types, each.result.type);
    };
    checks.push_back({call, each.arguments, each.result, what});
  }
  expect_in_batches(engine, checks);
}

inline void check_casts(Engine& engine) {
  std::vector<ValueCheck> checks;
  for (const cases::CastCase& each : cases::cast_cases()) {
    const auto cast = [&engine, each](std::span<const std::string> names) {
      return engine.dialect().cast(names[0], each.operand.type, each.result.type);
    };
    checks.push_back({cast,
                      {each.operand},
                      each.result,
                      fmt::format("{} as {}", shown(each.operand), name(each.result.type))});
  }
  expect_in_batches(engine, checks);
}

inline std::string values_table(const Dialect& dialect, const Type& type, std::size_t column) {
  std::vector<std::string> rows;
  for (const Cell& cell : cases::nasty_values(type)) {
    rows.push_back(fmt::format("({})", dialect.literal(cell, type)));
  }
  return fmt::format("(VALUES {}) AS t{}(a{})", fmt::join(rows, ", "), column, column);
}

// Counts the values of a function over all nasty values of its arguments, or with one of them
// written as a literal.
inline std::string count_statement(const Dialect& dialect, const cases::FunctionCase& each,
                                   std::optional<std::size_t> fixed = {},
                                   const std::string& literal = "") {
  std::vector<std::string> arguments;
  std::vector<Type> types;
  std::vector<std::string> tables;
  for (std::size_t i = 0; i < each.arguments.size(); ++i) {
    const Type& type = each.arguments[i].type;
    types.push_back(type);
    arguments.push_back(i == fixed ? literal : fmt::format("a{}", i));
    if (i != fixed) tables.push_back(values_table(dialect, type, i));
  }
  return fmt::format("SELECT count({}) FROM {}",
                     dialect.call(each.function, arguments, types, each.result.type),
                     fmt::join(tables, " CROSS JOIN "));
}

inline void expect_answers(Engine& engine, const std::set<std::string>& statements) {
  constexpr std::size_t kBatch = 16;
  const std::vector<std::string> all(statements.begin(), statements.end());
  for (std::size_t i = 0; i < all.size(); i += kBatch) {
    const auto batch = std::span(all).subspan(i, std::min(kBatch, all.size() - i));
    const std::string sql = fmt::format("{}", fmt::join(batch, " UNION ALL "));
    EXPECT_TRUE(engine.query(sql)) << sql << "\n" << engine.steward_detail();
  }
}

// Every function, on the types of each of its cases, over all nasty values: no row is an error.
inline void check_totality(Engine& engine) {
  std::set<std::string> statements;
  for (const cases::FunctionCase& each : cases::function_cases()) {
    if (each.function == Function::kLike) continue;
    statements.insert(count_statement(engine.dialect(), each));
  }
  expect_answers(engine, statements);
}

// The same with each argument in turn a literal, of which a planner computes what it can before it
// looks at conditions.
inline void check_totality_of_literals(Engine& engine) {
  std::set<std::string> statements;
  for (const cases::FunctionCase& each : cases::function_cases()) {
    if (each.function == Function::kLike || each.arguments.size() < 2) continue;
    for (std::size_t i = 0; i < each.arguments.size(); ++i) {
      const Type& type = each.arguments[i].type;
      for (const Cell& cell : cases::nasty_values(type)) {
        const std::string literal = engine.dialect().literal(cell, type);
        statements.insert(count_statement(engine.dialect(), each, i, literal));
      }
    }
  }
  expect_answers(engine, statements);
}

}  // namespace tacit
