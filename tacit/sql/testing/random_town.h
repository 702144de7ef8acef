#pragma once

#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacit/data/engine.h"
#include "tacit/sql/testing/town_schema.h"

namespace tacit::sql::testing {

// Small databases in which everything that may go wrong with a person does: keys that dangle or
// repeat, units and group keys that are NULL, values far outside of what is declared.

using Row = std::vector<std::string>;  // literals

struct Rows {
  std::string table;
  std::vector<Row> rows;
};
using Database = std::vector<Rows>;

inline rc::Gen<std::string> one_of(std::vector<std::string> literals) {
  return rc::gen::elementOf(std::move(literals));
}

inline rc::Gen<std::vector<Row>> some_rows(std::vector<std::vector<std::string>> columns,
                                           std::size_t most) {
  return rc::gen::exec([columns = std::move(columns), most] {
    const auto count = *rc::gen::inRange<std::size_t>(0, most + 1);
    std::vector<Row> rows;
    for (std::size_t i = 0; i < count; ++i) {
      Row row;
      for (const auto& literals : columns) row.push_back(*one_of(literals));
      rows.push_back(std::move(row));
    }
    return rows;
  });
}

inline rc::Gen<Database> some_town() {
  const std::vector<std::string> person{"1", "2", "3", "4", "NULL"};
  const std::vector<std::string> place{"'a'", "'b'", "'c'", "'d'", "NULL"};
  const std::vector<std::string> number{
      "0", "1", "5", "-7", "100", "9223372036854775807", "-9223372036854775808", "NULL"};
  const std::vector<std::string> money{"0.01", "1.99", "2.00", "-9999999.99", "9999999.99", "NULL"};
  const std::vector<std::string> real{"0.25",           "-1.0",  "'nan'::DOUBLE", "'inf'::DOUBLE",
                                      "'-inf'::DOUBLE", "1e300", "NULL"};
  const std::vector<std::string> text{"''", "'x'", "'y'", "'ü'", "NULL"};
  return rc::gen::exec([=] {
    return Database{
        {"people", *some_rows({person, number, place}, 6)},
        {"visits", *some_rows({person, place, number, money, real, text}, 14)},
        {"accounts", *some_rows({person, {"10", "11", "12", "NULL"}}, 6)},
        {"orders",
         *some_rows({{"10", "11", "12", "99", "NULL"}, {"20", "21", "22", "NULL"}, place}, 8)},
        {"items", *some_rows({{"20", "21", "22", "98", "NULL"}, number}, 8)},
        {"stays",
         *some_rows({{"1", "2", "5", "5", "NULL"}, {"5", "6", "NULL"}, number, place}, 10)},
        {"answers", *some_rows({place, number, text}, 6)},
        {"places",
         {{"'a'", "'west'"},
          {"'b'", "'west'"},
          {"'b'", "'east'"},
          {"'c'", "NULL"},
          {"'z'", "'east'"},
          {"NULL", "'east'"}}},
    };
  });
}

// Units with more than enough of everything that a claim could be reached with.
inline Database fullest_town() {
  const Row a{"1", "'a'", "100", "9999999.99", "1e300", "'x'"};
  const Row b{"1", "'b'", "100", "9999999.99", "1e300", "'y'"};
  const Row low{"1", "'a'", "0", "0.00", "0.0", "'x'"};
  return {
      {"people", {{"1", "9", "'a'"}, {"4", "1", "'a'"}}},
      {"visits", {a, a, a, b, b, b, low, low, {"2", "'a'", "1", "1.00", "1.0", "'x'"}}},
      {"accounts", {{"1", "10"}, {"3", "11"}}},
      {"orders", {{"10", "20", "'a'"}, {"10", "21", "'b'"}}},
      {"items", {{"20", "100"}, {"20", "100"}, {"21", "100"}}},
      {"stays",
       {{"1", "5", "100", "'a'"},
        {"1", "5", "100", "'b'"},
        {"5", "5", "1", "'a'"},
        {"5", "5", "1", "'a'"},
        {"5", "5", "1", "'b'"}}},
      {"answers", {{"'a'", "100", "'x'"}}},
      {"places", {{"'a'", "'west'"}, {"'b'", "'west'"}, {"'b'", "'east'"}, {"'z'", "'east'"}}},
  };
}

inline Result<void> create_tables(Engine& engine, const Schema& schema) {
  for (const TableSchema& table : schema.tables) {
    std::vector<std::string> columns;
    for (const Column& column : table.columns) {
      columns.push_back(column.name + " " + engine.dialect().type(column.type));
    }
    TACIT_RETURN_IF_ERROR(
        engine.execute(fmt::format("CREATE TABLE {} ({})", table.name, fmt::join(columns, ", "))));
  }
  return {};
}

inline Result<void> fill(Engine& engine, const Database& database) {
  for (const Rows& table : database) {
    TACIT_RETURN_IF_ERROR(engine.execute("DELETE FROM " + table.table));
    std::vector<std::string> tuples;
    for (const Row& row : table.rows) tuples.push_back(fmt::format("({})", fmt::join(row, ", ")));
    if (tuples.empty()) continue;
    TACIT_RETURN_IF_ERROR(engine.execute(
        fmt::format("INSERT INTO {} VALUES {}", table.table, fmt::join(tuples, ", "))));
  }
  return {};
}

// The database without the rows of one table whose first columns are those literals.
inline Database without(Database database, const std::vector<std::string>& tables,
                        const Row& unit) {
  for (Rows& table : database) {
    if (std::ranges::find(tables, table.table) == tables.end()) continue;
    std::erase_if(table.rows, [&](const Row& row) {
      return std::equal(unit.begin(), unit.end(), row.begin());
    });
  }
  return database;
}

// The rows of one unit in `other` instead of those in `database`.
inline Database replaced(Database database, const Database& other,
                         const std::vector<std::string>& tables, const Row& unit) {
  database = without(std::move(database), tables, unit);
  for (std::size_t i = 0; i < database.size(); ++i) {
    if (std::ranges::find(tables, database[i].table) == tables.end()) continue;
    for (const Row& row : other[i].rows) {
      if (std::equal(unit.begin(), unit.end(), row.begin())) database[i].rows.push_back(row);
    }
  }
  return database;
}

inline Database without_row(Database database, const std::string& name, std::size_t row) {
  for (Rows& table : database) {
    if (table.table == name)
      table.rows.erase(table.rows.begin() + static_cast<std::ptrdiff_t>(row));
  }
  return database;
}

}  // namespace tacit::sql::testing
