#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tacit/base/rational.h"

namespace tacit {

// What tacit.toml says of the rows of a dataset: where they are, whose they are, and the public
// facts about their columns. As declared; tacit/data/dataset.h gives it meaning.

// A value that a column may have. Dates and timestamps are texts, "2020-02-29".
using DeclaredValue = std::variant<bool, Rational, std::string>;

// An end of a column's range: a number, or a date or timestamp as text.
using DeclaredBound = std::variant<Rational, std::string>;

struct DeclaredColumn {
  std::string name;
  std::string type;  // "decimal(15,2)"
  std::optional<DeclaredBound> min;
  std::optional<DeclaredBound> max;
  std::vector<DeclaredValue> values;
  bool nulls = true;  // values may be NULL
  bool operator==(const DeclaredColumn&) const = default;
};

struct DeclaredUnit {
  enum class Kind : std::uint8_t {
    kPublic,   // public = true
    kRow,      // unit = "row"
    kColumns,  // unit = "person", or unit = ["person", "day"]
    kPath,     // unit = {columns = "order", table = "orders", keys = "id"}
  };
  Kind kind = Kind::kPublic;
  std::vector<std::string> columns;
  std::string table;
  std::vector<std::string> keys;
  bool operator==(const DeclaredUnit&) const = default;
};

// How a file of separated values is to be read; never guessed from its rows.
struct DeclaredCsv {
  std::optional<std::string> delimiter;  // without it a comma, or a tab in a .tsv
  bool header = true;
  bool operator==(const DeclaredCsv&) const = default;
};

struct DeclaredTable {
  std::string name;
  std::string source;  // a path or glob, or a table of the engine
  DeclaredCsv csv;
  DeclaredUnit unit;
  std::vector<DeclaredColumn> columns;  // in the order of the file
  bool operator==(const DeclaredTable&) const = default;
};

struct DeclaredData {
  static constexpr const char* kDefaultEngine = "duckdb";

  std::string engine = kDefaultEngine;
  std::optional<std::uint64_t> max_groups;
  std::optional<std::uint64_t> max_rows;
  std::vector<DeclaredTable> tables;  // in the order of the file
  bool operator==(const DeclaredData&) const = default;
};

}  // namespace tacit
