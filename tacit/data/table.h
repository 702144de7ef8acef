#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tacit/base/int128.h"
#include "tacit/data/type.h"

namespace tacit {

// One value of a result. Decimals are their unscaled integer (12.50 as decimal(_,2) is 1250), dates
// days since 1970-01-01, timestamps microseconds since then; monostate is NULL.
using Cell = std::variant<std::monostate, bool, int128, double, std::string>;

inline bool is_null(const Cell& cell) { return std::holds_alternative<std::monostate>(cell); }

struct Field {
  std::string name;
  Type type;
  bool operator==(const Field&) const = default;
};

// A small table in memory: what an engine answered, or what is released. Column by column; all
// columns are equally long.
struct Table {
  std::vector<Field> fields;
  std::vector<std::vector<Cell>> columns;

  [[nodiscard]] std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
  bool operator==(const Table&) const = default;
};

// A result of whole numbers alone, column by column.
using IntegerColumns = std::vector<std::vector<std::int64_t>>;

}  // namespace tacit
