#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tacit/data/function.h"
#include "tacit/data/table.h"
#include "tacit/data/type.h"

namespace tacit {

// How one engine spells things. Everything a dialect writes is total: it gives a value or NULL for
// every row, never an error, and the same one in every engine (docs/sql.md has the list).
class Dialect {
 public:
  virtual ~Dialect() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  // A quoted identifier.
  [[nodiscard]] virtual std::string identifier(std::string_view name) const = 0;
  // A literal of that type.
  [[nodiscard]] virtual std::string literal(const Cell& value, const Type& type) const = 0;
  // The engine's name of the type.
  [[nodiscard]] virtual std::string type(const Type& type) const = 0;
  // A stored column of whatever type the engine has it in, as that type.
  [[nodiscard]] virtual std::string read_as(std::string_view column, const Type& type) const = 0;
  // NULL where the value does not fit. To an integer or fewer places: the nearest, ties away from
  // zero; a real to a decimal goes by the nearest 64-bit multiple of its last place. Text is read
  // as
  // [+-]digits[.digits], for reals also with an exponent; as true, t or 1 and false, f or 0; as
  // 2020-02-29 and 2020-02-29 10:00:00[.ffffff], in the years 1 to 9999; all else is NULL. Reals
  // are written as text each engine's own way.
  [[nodiscard]] virtual std::string cast(std::string_view operand, const Type& from,
                                         const Type& to) const = 0;
  // A scalar function of the list; `types` are those of the arguments, `result` of the value.
  [[nodiscard]] virtual std::string call(Function function, std::span<const std::string> arguments,
                                         std::span<const Type> types, const Type& result) const = 0;
  // An exact sum, read as decimal(38, scale of the type), of values below 10^26 in the last place;
  // it cannot overflow.
  [[nodiscard]] virtual std::string exact_sum(std::string_view operand, const Type& type) const = 0;
  // A number that no two rows of a scan share.
  [[nodiscard]] virtual std::string row_number() const { return "row_number() OVER ()"; }
  // A 64-bit or wider pseudorandom order of rows: a keyed hash of the operands, which are text.
  // The key is the query's own secret.
  [[nodiscard]] virtual std::string keyed_hash(std::span<const std::string> operands,
                                               std::string_view secret) const = 0;
};

const Dialect& duckdb_dialect();
const Dialect& postgres_dialect();
const Dialect& spark_dialect();

}  // namespace tacit
