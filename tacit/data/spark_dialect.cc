#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tacit/data/calendar_internal.h"
#include "tacit/data/decimal_internal.h"
#include "tacit/data/spark_dialect_internal.h"

namespace tacit {
namespace {

constexpr int kMostDigits = 38;
// A sum has ten digits more than its operand; from here on it has all there are.
constexpr int kSummedDigits = 28;
// With more places after the point, numbers near zero are written with an exponent.
constexpr int kPlainPlaces = 6;

// Backslashes are escapes in Spark's texts.
std::string text_literal(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\0') {
      result += "\\u0000";
      continue;
    }
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string date_literal(int128 day) {
  if (day >= kFirstDay && day <= kLastDay) return fmt::format("DATE '{}'", date_text(day));
  return fmt::format("date_add(DATE '1970-01-01', {})", static_cast<std::int64_t>(day));
}

std::string timestamp_literal(int128 microsecond) {
  if (microsecond >= kFirstDay * kMicrosecondsADay &&
      microsecond < (kLastDay + 1) * kMicrosecondsADay) {
    return fmt::format("TIMESTAMP_NTZ '{}'", timestamp_text(microsecond));
  }
  return fmt::format("timestampadd(MICROSECOND, {}L, TIMESTAMP_NTZ '1970-01-01 00:00:00')",
                     static_cast<std::int64_t>(microsecond));
}

// Text is read by one grammar in every engine.
std::string_view grammar(const Type& to) {
  switch (to.kind) {
    case TypeKind::kInteger:
      return "[+-]?[0-9]{1,60}";
    case TypeKind::kDecimal:
      return "[+-]?[0-9]{1,60}([.][0-9]{1,60})?";
    case TypeKind::kReal:
      return "[+-]?[0-9]{1,60}([.][0-9]{1,60})?([eE][+-]?[0-9]{1,3})?";
    case TypeKind::kDate:
      return "(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}";
    case TypeKind::kTimestamp:
      return "(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2} "
             "([01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?";
    case TypeKind::kBoolean:
    case TypeKind::kText:
      break;
  }
  std::unreachable();
}

std::string cast_plainly(std::string_view operand, std::string_view type) {
  return fmt::format("CAST({} AS {})", operand, type);
}

std::string cast_or_null(std::string_view operand, std::string_view type) {
  return fmt::format("try_cast({} AS {})", operand, type);
}

std::string cast_text(const SparkDialect& dialect, std::string_view operand, const Type& to) {
  if (to.kind == TypeKind::kBoolean) {
    return fmt::format(
        "CASE WHEN {0} IN ('true', 't', '1') THEN TRUE WHEN {0} IN ('false', 'f', '0') THEN FALSE "
        "END",
        operand);
  }
  // \z is the very end, where $ would also be the place before a last newline.
  const std::string read = fmt::format("CASE WHEN {} RLIKE '^({})\\\\z' THEN {} END", operand,
                                       grammar(to), cast_or_null(operand, dialect.type(to)));
  return to.kind == TypeKind::kReal ? spark_finite(read) : read;
}

std::string nearest_integer(std::string_view real) {
  return spark_within_integers(real, fmt::format("CAST(round({}) AS BIGINT)", real));
}

std::string real_to_decimal(const SparkDialect& dialect, std::string_view operand, const Type& to) {
  const std::string units =
      nearest_integer(fmt::format("({} * CAST('1e{}' AS DOUBLE))", operand, to.scale));
  const int digits = std::min(kMostDigits, to.scale + 1);
  const std::string unit =
      dialect.literal(int128{1}, {TypeKind::kDecimal, static_cast<std::uint8_t>(digits), to.scale});
  return cast_or_null(fmt::format("(CAST({} AS DECIMAL(19,0)) * {})", units, unit),
                      dialect.type(to));
}

// 1 + |x| has no exponent, and the same digits after the point.
std::string decimal_to_text(std::string_view operand, const Type& from) {
  std::string plain = cast_plainly(operand, "STRING");
  if (from.scale <= kPlainPlaces) return plain;
  return fmt::format(
      "CASE WHEN abs({0}) < 1 THEN concat(CASE WHEN {0} < 0 THEN '-0' ELSE '0' END, "
      "substring(CAST(abs({0}) + 1 AS STRING), 2)) ELSE {1} END",
      operand, plain);
}

int integer_digits(const Type& type) {
  return type.kind == TypeKind::kInteger ? 19 : type.precision - type.scale;
}

bool is_widening(const Type& from, const Type& to) {
  return from.is_exact_number() && to.kind == TypeKind::kDecimal && from.scale <= to.scale &&
         integer_digits(from) <= integer_digits(to);
}

}  // namespace

const Dialect& spark_dialect() {
  static const SparkDialect dialect;
  return dialect;
}

std::string spark_finite(std::string_view real) {
  return fmt::format("CASE WHEN abs({0}) < double('Infinity') THEN {0} END", real);
}

std::string spark_within_years(std::string_view moment, const Type& type, std::string_view value) {
  const bool is_date = type.kind == TypeKind::kDate;
  return fmt::format("CASE WHEN {} BETWEEN {} AND {} THEN {} END", moment,
                     is_date ? "DATE '0001-01-01'" : "TIMESTAMP_NTZ '0001-01-01 00:00:00'",
                     is_date ? "DATE '9999-12-31'" : "TIMESTAMP_NTZ '9999-12-31 23:59:59.999999'",
                     value);
}

std::string spark_within_integers(std::string_view real, std::string_view value) {
  return fmt::format(
      "CASE WHEN {0} >= -9223372036854775808D AND {0} < 9223372036854775808D THEN {1} END", real,
      value);
}

std::string SparkDialect::identifier(std::string_view name) const {
  std::string result = "`";
  for (const char c : name) {
    if (c == '`') result += '`';
    result += c;
  }
  return result + "`";
}

std::string SparkDialect::literal(const Cell& value, const Type& type) const {
  if (is_null(value)) return cast_plainly("NULL", this->type(type));
  switch (type.kind) {
    case TypeKind::kBoolean:
      return std::get<bool>(value) ? "TRUE" : "FALSE";
    case TypeKind::kInteger:
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

std::string SparkDialect::type(const Type& type) const {
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
      return "STRING";
    case TypeKind::kDate:
      return "DATE";
    case TypeKind::kTimestamp:
      return "TIMESTAMP_NTZ";
  }
  std::unreachable();
}

// Files can hold texts that are not UTF-8, which nothing downstream could read.
std::string SparkDialect::read_as(std::string_view column, const Type& type) const {
  const std::string read = cast_or_null(column, this->type(type));
  return type.kind == TypeKind::kText ? fmt::format("try_validate_utf8({})", read) : read;
}

std::string SparkDialect::cast(std::string_view operand, const Type& from, const Type& to) const {
  if (from == to) return std::string(operand);
  if (from.kind == TypeKind::kText) return cast_text(*this, operand, to);
  if (from.kind == TypeKind::kReal && to.kind == TypeKind::kInteger) {
    return nearest_integer(operand);
  }
  if (from.kind == TypeKind::kReal && to.kind == TypeKind::kDecimal) {
    return real_to_decimal(*this, operand, to);
  }
  if (from.kind == TypeKind::kDecimal && to.kind == TypeKind::kInteger) {
    return cast_or_null(fmt::format("round({}, 0)", operand), "BIGINT");
  }
  if (from.kind == TypeKind::kDecimal && to.kind == TypeKind::kText) {
    return decimal_to_text(operand, from);
  }
  if (from.is_number() && to.kind == TypeKind::kBoolean) return fmt::format("({} <> 0)", operand);
  const bool is_moment = from.kind == TypeKind::kDate || from.kind == TypeKind::kTimestamp;
  if (is_moment && to.kind == TypeKind::kText) {
    return spark_within_years(operand, from, cast_plainly(operand, "STRING"));
  }
  const bool cannot_fail = is_widening(from, to) || to.kind == TypeKind::kReal ||
                           to.kind == TypeKind::kText || is_moment;
  return cannot_fail ? cast_plainly(operand, type(to)) : cast_or_null(operand, type(to));
}

std::string SparkDialect::exact_sum(std::string_view operand, const Type& type) const {
  const int digits = std::max<int>(type.precision, kSummedDigits);
  return fmt::format("sum(CAST({} AS DECIMAL({},{})))", operand, digits, type.scale);
}

std::string SparkDialect::keyed_hash(std::span<const std::string> operands,
                                     std::string_view secret) const {
  // Lengths make the concatenation one to one; NULL is no text.
  std::string message = text_literal(secret);
  for (const std::string& operand : operands) {
    message += fmt::format(", coalesce(char_length({0}), -1), ':', coalesce({0}, '')", operand);
  }
  return fmt::format("sha2(concat({}), 256)", message);
}

}  // namespace tacit
