#pragma once

#include <span>
#include <string>
#include <utility>

#include "tacit/base/error.h"
#include "tacit/data/engine.h"
#include "tacit/data/schema.h"

namespace tacit::anonymize {

// A declared table in the database that has its rows: PostgreSQL, Spark or DuckDB. What comes out
// are texts, the same from each of them (but for reals, which each writes its own way).
class ServedTable {
 public:
  // `name`: in errors.
  ServedTable(Engine engine, TableSchema table, std::string name)
      : engine_(std::move(engine)), table_(std::move(table)), name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const TableSchema& table() const { return table_; }
  [[nodiscard]] Engine& engine() { return engine_; }

  // A column of what comes out.
  struct Text {
    std::string column;  // of the table
    std::string as;
    enum class Null : bool { kStays, kEmptyText };
    Null null = Null::kStays;
  };

  // Makes a table `into` in the embedded engine, of all rows.
  Result<void> copy(Engine& embedded, const std::string& into, std::span<const Text> texts);
  // The same of each combination once, with n, its number of rows; counted in the database.
  Result<void> count(Engine& embedded, const std::string& into, std::span<const Text> texts);

 private:
  [[nodiscard]] std::string selected(std::span<const Text> texts) const;
  Result<void> bring(const std::string& sql, Engine& embedded, const std::string& into);

  Engine engine_;
  TableSchema table_;
  std::string name_;
};

}  // namespace tacit::anonymize
