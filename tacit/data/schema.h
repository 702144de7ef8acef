#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/data/table.h"
#include "tacit/data/type.h"
#include "tacit/privacy/neighbours.h"

namespace tacit {

// What is publicly known of a dataset's tables. Nothing here was learnt from private rows.

// A column: its type and, where declared, the range its values are clamped to (of dates in days, of
// timestamps in microseconds since 1970), or all the values it may have (group keys that are
// public).
struct Column {
  std::string name;
  Type type;
  std::optional<Rational> lower;
  std::optional<Rational> upper;
  std::vector<Cell> values;
  // It may be NULL: where its values are public keys, NULL is one more.
  bool nulls = false;
  bool operator==(const Column&) const = default;
};

// How the rows of a table belong to privacy units.
struct Unit {
  enum class Kind : std::uint8_t {
    kPublic,   // the table has no private rows
    kRow,      // each row is a unit
    kColumns,  // the values of `columns` together name the unit; NULL in one of them: nobody's row
    kPath,     // the unit of the rows of `parent` whose `parent_keys` equal this row's `columns`
  };
  Kind kind = Kind::kPublic;
  std::vector<std::string> columns;
  std::string parent;
  std::vector<std::string> parent_keys;
  bool operator==(const Unit&) const = default;
};

struct TableSchema {
  std::string name;
  // What stands in FROM, in the engine's own SQL: a quoted table name, or a reader of files.
  std::string source;
  Unit unit;
  std::vector<Column> columns;

  [[nodiscard]] const Column* find(std::string_view column) const;
  bool operator==(const TableSchema&) const = default;
};

// How much one unit may put into a query, unless the query says otherwise.
struct ContributionBounds {
  std::optional<std::uint64_t> groups;          // the most groups it may touch
  std::optional<std::uint64_t> rows_per_group;  // the most rows it may add to one group
  bool operator==(const ContributionBounds&) const = default;
};

struct Schema {
  std::string dataset;
  Neighbours neighbours = Neighbours::kAddRemove;
  ContributionBounds bounds;
  std::vector<TableSchema> tables;

  // By name, without regard to case, as SQL does.
  [[nodiscard]] const TableSchema* find(std::string_view table) const;
};

}  // namespace tacit
