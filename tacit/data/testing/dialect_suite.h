#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

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

// The value of an expression over columns a0, a1, ... of a table of one row, in which an engine
// cannot foresee them.
inline void expect_value(Engine& engine, const std::string& expression,
                         const std::vector<cases::Value>& row, const cases::Value& expected,
                         const std::string& what) {
  const Dialect& dialect = engine.dialect();
  std::vector<std::string> literals;
  std::vector<std::string> names;
  for (const cases::Value& value : row) {
    literals.push_back(dialect.literal(value.cell, value.type));
    names.push_back(fmt::format("a{}", names.size()));
  }
  const auto table =
      engine.query(fmt::format("SELECT {} AS value FROM (VALUES ({})) AS t({})", expression,
                               fmt::join(literals, ", "), fmt::join(names, ", ")));
  ASSERT_TRUE(table) << what << "\n" << expression << "\n" << engine.steward_detail();
  ASSERT_EQ(table->rows(), 1U);
  const Field& field = table->fields[0];
  EXPECT_TRUE(same_cell(table->columns[0][0], expected.cell))
      << what << " is " << shown({table->columns[0][0], field.type}) << ", expected "
      << shown(expected) << "\n"
      << expression;
  // PostgreSQL's numeric has no type of its own in a result.
  if (dialect.name() == "duckdb") {
    EXPECT_EQ(name(field.type), name(expected.type)) << what << "\n" << expression;
  }
}

inline void check_functions(Engine& engine) {
  const Dialect& dialect = engine.dialect();
  for (const cases::FunctionCase& each : cases::function_cases()) {
    std::vector<std::string> arguments;
    std::vector<Type> types;
    std::string what = fmt::format("function {} of", static_cast<int>(each.function));
    for (const cases::Value& value : each.arguments) {
      arguments.push_back(fmt::format("a{}", arguments.size()));
      types.push_back(value.type);
      what += " " + shown(value);
    }
    if (each.function == Function::kLike) {
      arguments[1] = dialect.literal(each.arguments[1].cell, kTextType);
    }
    expect_value(engine, dialect.call(each.function, arguments, types, each.result.type),
                 each.arguments, each.result, what);
  }
}

inline void check_casts(Engine& engine) {
  for (const cases::CastCase& each : cases::cast_cases()) {
    expect_value(engine, engine.dialect().cast("a0", each.operand.type, each.result.type),
                 {each.operand}, each.result,
                 fmt::format("{} as {}", shown(each.operand), name(each.result.type)));
  }
}

// Every function, on the types of each of its cases, over all nasty values: no row is an error.
inline void check_totality(Engine& engine) {
  const Dialect& dialect = engine.dialect();
  std::set<std::string> done;
  for (const cases::FunctionCase& each : cases::function_cases()) {
    if (each.function == Function::kLike) continue;
    std::vector<std::string> arguments;
    std::vector<Type> types;
    std::string from;
    for (const cases::Value& value : each.arguments) {
      const std::size_t i = arguments.size();
      std::vector<std::string> rows;
      for (const Cell& cell : cases::nasty_values(value.type)) {
        rows.push_back(fmt::format("({})", dialect.literal(cell, value.type)));
      }
      from += fmt::format("{}(VALUES {}) AS t{}(a{})", i == 0 ? "" : " CROSS JOIN ",
                          fmt::join(rows, ", "), i, i);
      arguments.push_back(fmt::format("a{}", i));
      types.push_back(value.type);
    }
    const std::string call = dialect.call(each.function, arguments, types, each.result.type);
    const std::string sql = fmt::format("SELECT count({}) FROM {}", call, from);
    if (!done.insert(sql).second) continue;
    EXPECT_TRUE(engine.query(sql)) << sql << "\n" << engine.steward_detail();
  }
}

}  // namespace tacit
