#include <fmt/format.h>

#include <utility>

#include "tacit/data/calendar_internal.h"
#include "tacit/data/decimal_internal.h"
#include "tacit/data/postgres_dialect_internal.h"

namespace tacit {
namespace {

// Columns and literals are shorter.
constexpr std::size_t kShort = 100;

// As numerics, so that the comparison cannot overflow.
constexpr std::string_view kLeastInteger = "CAST('-9223372036854775808' AS numeric)";
constexpr std::string_view kGreatestInteger = "CAST('9223372036854775807' AS numeric)";

std::string quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char c : text) {
    if (c == quote) result += quote;
    result += c;
  }
  return result + quote;
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
  return fmt::format("(TIMESTAMP '1970-01-01' + INTERVAL '{} microseconds')",
                     static_cast<std::int64_t>(microsecond));
}

// Days that exist, in the years 1 to 9999.
constexpr std::string_view kDay =
    "(?!0000)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)"
    "|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])"
    "|([02468][048]|[13579][26])00)-02-29)";

std::string grammar(const Type& to) {
  switch (to.kind) {
    case TypeKind::kInteger:
      return "[+-]?[0-9]{1,60}";
    case TypeKind::kDecimal:
      return "[+-]?[0-9]{1,60}([.][0-9]{1,60})?";
    case TypeKind::kReal:
      return "[+-]?[0-9]{1,60}([.][0-9]{1,60})?([eE][+-]?[0-9]{1,3})?";
    case TypeKind::kDate:
      return std::string(kDay);
    case TypeKind::kTimestamp:
      return fmt::format("{} ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{{1,6}})?", kDay);
    case TypeKind::kBoolean:
    case TypeKind::kText:
      break;
  }
  std::unreachable();
}

std::string cast_plainly(std::string_view operand, std::string_view type) {
  return fmt::format("CAST({} AS {})", operand, type);
}

// The nearest integer, ties away from zero; the engine's own round takes ties to even.
std::string nearest_integer(std::string_view real) {
  return fmt::format(
      "CASE WHEN {0} >= -9223372036854775808 AND {0} < 9223372036854775808 THEN CAST(trunc({0}) + "
      "CASE WHEN abs({0} - trunc({0})) >= 0.5 THEN sign({0}) ELSE 0 END AS bigint) END",
      real);
}

std::string real_from_text(std::string_view operand) {
  return fmt::format(
      "CASE WHEN abs(CAST({0} AS numeric)) > CAST('1.7976931348623157e308' AS numeric) THEN NULL "
      "WHEN abs(CAST({0} AS numeric)) < CAST('5e-324' AS numeric) THEN 0 "
      "ELSE CAST({0} AS double precision) END",
      operand);
}

std::string cast_text(const PostgresDialect& dialect, std::string_view operand, const Type& to) {
  if (to.kind == TypeKind::kBoolean) {
    return fmt::format(
        "CASE WHEN {0} IN ('true', 't', '1') THEN TRUE WHEN {0} IN ('false', 'f', '0') THEN FALSE "
        "END",
        operand);
  }
  std::string value;
  if (to.kind == TypeKind::kInteger) {
    value = postgres_fitted(cast_plainly(operand, "numeric"), to);
  } else if (to.kind == TypeKind::kDecimal) {
    value = postgres_fitted(fmt::format("round(CAST({} AS numeric), {})", operand, to.scale), to);
  } else if (to.kind == TypeKind::kReal) {
    value = real_from_text(operand);
  } else {
    value = cast_plainly(operand, dialect.type(to));
  }
  return fmt::format("CASE WHEN {} ~ '^({})$' THEN {} END", operand, grammar(to), value);
}

std::string cast_real(std::string_view operand, const Type& to) {
  if (to.kind == TypeKind::kInteger) return nearest_integer(operand);
  const std::string units = fmt::format(
      "CASE WHEN abs({0}) < 1e19 THEN {1} END", operand,
      nearest_integer(fmt::format("({} * CAST('1e{}' AS double precision))", operand, to.scale)));
  return postgres_fitted(
      fmt::format("({} * CAST('{}' AS numeric))", units, to_string(Decimal{1, to.scale})), to);
}

}  // namespace

std::string postgres_within_years(std::string_view moment, const Type& type,
                                  std::string_view value) {
  const bool is_date = type.kind == TypeKind::kDate;
  return fmt::format("CASE WHEN {} BETWEEN {} AND {} THEN {} END", moment,
                     is_date ? "DATE '0001-01-01'" : "TIMESTAMP '0001-01-01'",
                     is_date ? "DATE '9999-12-31'" : "TIMESTAMP '9999-12-31 23:59:59.999999'",
                     value);
}

const Dialect& postgres_dialect() {
  static const PostgresDialect dialect;
  return dialect;
}

std::string postgres_once(std::string_view operand,
                          const std::function<std::string(std::string_view)>& expression) {
  if (operand.size() <= kShort) return expression(operand);
  // OFFSET keeps the planner from putting the operand back where it was.
  return fmt::format("(SELECT {} FROM (SELECT {} AS a OFFSET 0) AS operand)", expression("a"),
                     operand);
}

std::string postgres_once(
    std::string_view left, std::string_view right,
    const std::function<std::string(std::string_view, std::string_view)>& expression) {
  if (left.size() <= kShort && right.size() <= kShort) return expression(left, right);
  return fmt::format("(SELECT {} FROM (SELECT {} AS a, {} AS b OFFSET 0) AS operands)",
                     expression("a", "b"), left, right);
}

std::string postgres_fitted(std::string_view number, const Type& type) {
  return postgres_once(number, [&type](std::string_view value) {
    if (type.kind == TypeKind::kInteger) {
      return fmt::format("CASE WHEN {0} BETWEEN {1} AND {2} THEN CAST({0} AS bigint) END", value,
                         kLeastInteger, kGreatestInteger);
    }
    return fmt::format(
        "CASE WHEN abs({0}) < CAST('1e{1}' AS numeric) THEN CAST({0} AS numeric({2},{3})) END",
        value, type.precision - type.scale, type.precision, type.scale);
  });
}

std::string PostgresDialect::identifier(std::string_view name) const { return quoted(name, '"'); }

std::string PostgresDialect::literal(const Cell& value, const Type& type) const {
  if (is_null(value)) return cast_plainly("NULL", this->type(type));
  switch (type.kind) {
    case TypeKind::kBoolean:
      return std::get<bool>(value) ? "TRUE" : "FALSE";
    case TypeKind::kInteger:
    case TypeKind::kDecimal:
      return fmt::format("CAST('{}' AS {})",
                         to_string(Decimal{std::get<int128>(value), type.scale}), this->type(type));
    case TypeKind::kReal:
      return fmt::format("CAST('{}' AS double precision)", std::get<double>(value));
    case TypeKind::kText: {
      // No text of this engine holds a zero byte, so none equals such a literal.
      const auto& text = std::get<std::string>(value);
      return text.contains('\0') ? "CAST(NULL AS text)" : cast_plainly(quoted(text, '\''), "text");
    }
    case TypeKind::kDate:
      return date_literal(std::get<int128>(value));
    case TypeKind::kTimestamp:
      return timestamp_literal(std::get<int128>(value));
  }
  std::unreachable();
}

std::string PostgresDialect::type(const Type& type) const {
  switch (type.kind) {
    case TypeKind::kBoolean:
      return "boolean";
    case TypeKind::kInteger:
      return "bigint";
    case TypeKind::kDecimal:
      return fmt::format("numeric({},{})", type.precision, type.scale);
    case TypeKind::kReal:
      return "double precision";
    case TypeKind::kText:
      return "text";
    case TypeKind::kDate:
      return "date";
    case TypeKind::kTimestamp:
      return "timestamp";
  }
  std::unreachable();
}

// A numeric can be NaN and a date infinite, which no value of ours is. Texts compare by bytes,
// whatever the collation of the column.
std::string PostgresDialect::read_as(std::string_view column, const Type& type) const {
  std::string read = cast_plainly(column, this->type(type));
  switch (type.kind) {
    case TypeKind::kDecimal:
      return fmt::format("nullif({}, 'NaN')", read);
    case TypeKind::kDate:
    case TypeKind::kTimestamp:
      return postgres_within_years(read, type, read);
    case TypeKind::kText:
      return fmt::format("({} COLLATE \"C\")", read);
    default:
      return read;
  }
}

std::string PostgresDialect::cast(std::string_view operand, const Type& from,
                                  const Type& to) const {
  if (from == to) return std::string(operand);
  if (from.kind == TypeKind::kText) {
    return postgres_once(operand,
                         [&](std::string_view text) { return cast_text(*this, text, to); });
  }
  if (from.kind == TypeKind::kReal && to.is_exact_number()) {
    return postgres_once(operand, [&](std::string_view real) { return cast_real(real, to); });
  }
  if (from.is_exact_number() && to.is_exact_number()) {
    return postgres_fitted(fmt::format("round(CAST({} AS numeric), {})", operand, to.scale), to);
  }
  if (from.is_exact_number() && to.kind == TypeKind::kBoolean) {
    return fmt::format("({} <> 0)", operand);
  }
  if (from.kind == TypeKind::kBoolean && to.kind != TypeKind::kText) {
    return cast_plainly(cast_plainly(operand, "integer"), type(to));
  }
  if (to.kind == TypeKind::kText &&
      (from.kind == TypeKind::kDate || from.kind == TypeKind::kTimestamp)) {
    return postgres_within_years(operand, from, cast_plainly(operand, "text"));
  }
  if (from.kind == TypeKind::kDate && to.kind == TypeKind::kTimestamp) {
    return postgres_within_years(operand, from, cast_plainly(operand, "timestamp"));
  }
  return cast_plainly(operand, type(to));
}

std::string PostgresDialect::exact_sum(std::string_view operand, const Type& /*type*/) const {
  return fmt::format("sum({})", operand);
}

std::string PostgresDialect::keyed_hash(std::span<const std::string> operands,
                                        std::string_view secret) const {
  // Lengths make the concatenation one to one; NULL is no text.
  std::string message = quoted(secret, '\'');
  for (const std::string& operand : operands) {
    message += fmt::format(", coalesce(char_length({0}), -1), ':', {0}", operand);
  }
  return fmt::format("sha256(convert_to(concat({}), 'UTF8'))", message);
}

}  // namespace tacit
