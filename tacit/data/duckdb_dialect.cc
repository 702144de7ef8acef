#include <fmt/format.h>

#include <utility>

#include "tacit/data/calendar_internal.h"
#include "tacit/data/decimal_internal.h"
#include "tacit/data/duckdb_dialect_internal.h"

namespace tacit {
namespace {

std::string quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char c : text) {
    if (c == quote) result += quote;
    result += c;
  }
  return result + quote;
}

// A statement is handed over as a C string, so a zero byte must be spelled.
std::string text_literal(std::string_view text) {
  const std::size_t zero = text.find('\0');
  if (zero == std::string_view::npos) return quoted(text, '\'');
  return fmt::format("({} || chr(0) || {})", quoted(text.substr(0, zero), '\''),
                     text_literal(text.substr(zero + 1)));
}

std::string date_literal(int128 day) {
  if (day >= kFirstDay && day <= kLastDay) return fmt::format("DATE '{}'", date_text(day));
  return fmt::format("(DATE '1970-01-01' + {})", static_cast<std::int64_t>(day));
}

std::string timestamp_literal(int128 microsecond) {
  if (microsecond >= kFirstDay * kMicrosecondsADay &&
      microsecond < (kLastDay + 1) * kMicrosecondsADay) {
    return fmt::format("TIMESTAMP '{}'", timestamp_text(microsecond));
  }
  return fmt::format("make_timestamp({})", static_cast<std::int64_t>(microsecond));
}

// The digits before the point that values of the type can have.
int integer_digits(const Type& type) {
  return type.kind == TypeKind::kInteger ? 19 : type.precision - type.scale;
}

// Text is read by one grammar in every engine; the engines' own differ in blanks, signs, "0x1F",
// "1_000", "infinity" and much more.
std::string_view grammar(const Type& to) {
  switch (to.kind) {
    case TypeKind::kInteger:
      return "[+-]?[0-9]{1,60}";
    case TypeKind::kDecimal:
      return "[+-]?[0-9]{1,60}([.][0-9]{1,60})?";
    case TypeKind::kReal:
      return "[+-]?[0-9]{1,60}([.][0-9]{1,60})?([eE][+-]?[0-9]{1,3})?";
    case TypeKind::kDate:
      return "[0-9]{4}-[0-9]{2}-[0-9]{2}";
    case TypeKind::kTimestamp:
      return "[0-9]{4}-[0-9]{2}-[0-9]{2} ([01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?";
    case TypeKind::kBoolean:
    case TypeKind::kText:
      break;
  }
  std::unreachable();
}

std::string text_to_boolean(std::string_view operand) {
  return fmt::format(
      "CASE WHEN {0} IN ('true', 't', '1') THEN TRUE WHEN {0} IN ('false', 'f', '0') THEN FALSE "
      "END",
      operand);
}

// Years before 1 and infinities are written differently everywhere.
std::string moment_to_text(std::string_view operand, const Type& from) {
  const bool is_date = from.kind == TypeKind::kDate;
  return fmt::format("CASE WHEN {0} >= {1} AND {0} < {2} THEN CAST({0} AS VARCHAR) END", operand,
                     is_date ? "DATE '0001-01-01'" : "TIMESTAMP '0001-01-01 00:00:00'",
                     is_date ? "DATE '10000-01-01'" : "TIMESTAMP '10000-01-01 00:00:00'");
}

}  // namespace

const Dialect& duckdb_dialect() {
  static const DuckdbDialect dialect;
  return dialect;
}

std::string DuckdbDialect::identifier(std::string_view name) const { return quoted(name, '"'); }

std::string DuckdbDialect::literal(const Cell& value, const Type& type) const {
  if (is_null(value)) return fmt::format("CAST(NULL AS {})", this->type(type));
  switch (type.kind) {
    case TypeKind::kBoolean:
      return std::get<bool>(value) ? "TRUE" : "FALSE";
    case TypeKind::kInteger:
      return fmt::format("CAST({} AS BIGINT)", to_string(Decimal{std::get<int128>(value), 0}));
    case TypeKind::kDecimal:
      return fmt::format("CAST('{}' AS {})",
                         to_string(Decimal{std::get<int128>(value), type.scale}), this->type(type));
    case TypeKind::kReal:
      return fmt::format("CAST('{}' AS DOUBLE)", std::get<double>(value));
    case TypeKind::kText:
      return text_literal(std::get<std::string>(value));
    case TypeKind::kDate:
      return date_literal(std::get<int128>(value));
    case TypeKind::kTimestamp:
      return timestamp_literal(std::get<int128>(value));
  }
  std::unreachable();
}

std::string DuckdbDialect::type(const Type& type) const {
  switch (type.kind) {
    case TypeKind::kBoolean:
      return "BOOLEAN";
    case TypeKind::kInteger:
      return "BIGINT";
    case TypeKind::kDecimal:
      return fmt::format("DECIMAL({},{})", type.precision, type.scale);
    case TypeKind::kReal:
      return "DOUBLE";
    case TypeKind::kText:
      return "VARCHAR";
    case TypeKind::kDate:
      return "DATE";
    case TypeKind::kTimestamp:
      return "TIMESTAMP";
  }
  std::unreachable();
}

std::string DuckdbDialect::read_as(std::string_view column, const Type& type) const {
  return fmt::format("TRY_CAST({} AS {})", column, this->type(type));
}

std::string DuckdbDialect::cast(std::string_view operand, const Type& from, const Type& to) const {
  if (from == to) return std::string(operand);
  const std::string plain = fmt::format("CAST({} AS {})", operand, type(to));
  const std::string total = fmt::format("TRY_CAST({} AS {})", operand, type(to));
  if (from.kind == TypeKind::kText) {
    if (to.kind == TypeKind::kBoolean) return text_to_boolean(operand);
    std::string read = fmt::format("CASE WHEN regexp_full_match({}, '{}') THEN {} END", operand,
                                   grammar(to), total);
    // 'infinity' is out by the grammar, 1e999 is not; year 0 is.
    if (to.kind == TypeKind::kReal)
      return fmt::format("CASE WHEN isfinite({0}) THEN {0} END", read);
    if (to.kind == TypeKind::kDate || to.kind == TypeKind::kTimestamp) {
      return fmt::format("CASE WHEN NOT starts_with({}, '0000') THEN {} END", operand, read);
    }
    return read;
  }
  if (to.kind == TypeKind::kText &&
      (from.kind == TypeKind::kDate || from.kind == TypeKind::kTimestamp)) {
    return moment_to_text(operand, from);
  }
  if (from.kind == TypeKind::kReal && to.kind == TypeKind::kInteger) {
    return fmt::format("TRY_CAST(round({}) AS BIGINT)", operand);
  }
  if (from.kind == TypeKind::kReal && to.kind == TypeKind::kDecimal) {
    // The engine's own cast rounds the product with 10^scale, whose last bit is not specified.
    const std::string units =
        fmt::format("TRY_CAST(round({} * 1e{}) AS BIGINT)", operand, to.scale);
    if (to.scale == 0) return cast(units, kIntegerType, to);
    const Type unit{TypeKind::kDecimal, static_cast<std::uint8_t>(to.scale + 1), to.scale};
    return cast(fmt::format("({} * {})", units, literal(int128{1}, unit)),
                {TypeKind::kDecimal, static_cast<std::uint8_t>(20 + to.scale), to.scale}, to);
  }
  const bool is_widening = from.is_exact_number() && to.is_exact_number() &&
                           from.scale <= to.scale && integer_digits(from) <= integer_digits(to) &&
                           to.kind == TypeKind::kDecimal;
  const bool cannot_fail = is_widening || from.kind == TypeKind::kBoolean ||
                           to.kind == TypeKind::kText || to.kind == TypeKind::kBoolean ||
                           (from.is_exact_number() && to.kind == TypeKind::kReal);
  return cannot_fail ? plain : total;
}

std::string DuckdbDialect::exact_sum(std::string_view operand, const Type& /*type*/) const {
  return fmt::format("sum({})", operand);
}

std::string DuckdbDialect::keyed_hash(std::span<const std::string> operands,
                                      std::string_view secret) const {
  // Lengths make the concatenation one to one; NULL is no text.
  std::string message = text_literal(secret);
  for (const std::string& operand : operands) {
    message += fmt::format(", coalesce(length({0}), -1), ':', {0}", operand);
  }
  return fmt::format("md5_number(concat({}))", message);
}

}  // namespace tacit
