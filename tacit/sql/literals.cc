#include <charconv>
#include <chrono>
#include <cmath>

#include "tacit/sql/literals_internal.h"

namespace tacit::sql {
namespace {

constexpr std::int64_t kMicrosADay = 86'400'000'000;

// Reads exactly `digits` digits at `at` and moves on.
std::optional<int> digits(std::string_view text, std::size_t& at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const char c = text[at + i];
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  at += count;
  return value;
}

bool take(std::string_view text, std::size_t& at, char wanted) {
  if (at >= text.size() || text[at] != wanted) return false;
  ++at;
  return true;
}

std::optional<std::int64_t> parse_date(std::string_view text, std::size_t& at) {
  const auto year = digits(text, at, 4);
  if (!year || !take(text, at, '-')) return std::nullopt;
  const auto month = digits(text, at, 2);
  if (!month || !take(text, at, '-')) return std::nullopt;
  const auto day = digits(text, at, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *year < 1) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

// "12:34", "12:34:56" or "12:34:56.789", in microseconds.
std::optional<std::int64_t> parse_time(std::string_view text, std::size_t& at) {
  const auto hour = digits(text, at, 2);
  if (!hour || *hour > 23 || !take(text, at, ':')) return std::nullopt;
  const auto minute = digits(text, at, 2);
  if (!minute || *minute > 59) return std::nullopt;
  std::int64_t micros = (std::int64_t{*hour} * 60 + *minute) * 60'000'000;
  if (!take(text, at, ':')) return micros;
  const auto second = digits(text, at, 2);
  if (!second || *second > 59) return std::nullopt;
  micros += std::int64_t{*second} * 1'000'000;
  if (!take(text, at, '.')) return micros;
  std::int64_t unit = 100'000;
  for (; at < text.size() && unit > 0; unit /= 10) {
    const auto digit = digits(text, at, 1);
    if (!digit) return std::nullopt;
    micros += *digit * unit;
  }
  return micros;
}

std::optional<Cell> parse_timestamp(std::string_view text) {
  std::size_t at = 0;
  const auto days = parse_date(text, at);
  if (!days) return std::nullopt;
  std::int64_t micros = *days * kMicrosADay;
  if (at < text.size()) {
    if (!take(text, at, ' ') && !take(text, at, 'T')) return std::nullopt;
    const auto time = parse_time(text, at);
    if (!time) return std::nullopt;
    micros += *time;
  }
  if (at != text.size()) return std::nullopt;
  return Cell(int128{micros});
}

std::optional<int128> to_int128(const mpz_class& value) {
  if (mpz_sizeinbase(value.get_mpz_t(), 2) > 126) return std::nullopt;
  const mpz_class magnitude = abs(value);
  const mpz_class high = magnitude >> 64U;
  const mpz_class low = magnitude - (high << 64U);
  const auto wide = (static_cast<uint128>(high.get_ui()) << 64U) | low.get_ui();
  return sgn(value) < 0 ? -static_cast<int128>(wide) : static_cast<int128>(wide);
}

std::optional<Cell> parse_number(std::string_view text, const Type& type) {
  const auto value = Rational::parse(text);
  if (!value) return std::nullopt;
  if (type.kind == TypeKind::kReal) return Cell(value->approximate());
  Rational scaled = *value;
  for (int i = 0; i < type.scale; ++i) scaled = scaled * Rational(10);
  if (scaled.mpq().get_den() != 1) return std::nullopt;
  const auto integer = to_int128(scaled.floor());
  if (!integer) return std::nullopt;
  return Cell(*integer);
}

std::optional<int128> integer_of(const Json& value) {
  if (value.is_number_unsigned()) return static_cast<int128>(value.get<std::uint64_t>());
  if (value.is_number_integer()) return static_cast<int128>(value.get<std::int64_t>());
  if (value.is_object() && value.contains("upper") && value.contains("lower")) {
    return (static_cast<int128>(value["upper"].get<std::int64_t>()) << 64U) |
           static_cast<int128>(value["lower"].get<std::uint64_t>());
  }
  return std::nullopt;
}

std::uint8_t decimal_digits(int128 value) {
  std::uint8_t count = 1;
  for (int128 rest = value / 10; rest != 0; rest /= 10) ++count;
  return count;
}

// An integer constant has the narrowest type that holds it.
Type type_of_integer(int128 value) {
  const bool fits = value >= INT64_MIN && value <= INT64_MAX;
  return fits ? kIntegerType : Type{TypeKind::kDecimal, decimal_digits(value), 0};
}

// The number of units in to_days(CAST(trunc(CAST(n AS DOUBLE)) AS INTEGER)) and its like.
std::optional<std::int64_t> interval_count(const Json& node) {
  const Json* at = &node;
  while (true) {
    const std::string kind = string_of(*at, "class");
    if (kind == "CAST") {
      at = &at->at("child");
    } else if (kind == "FUNCTION" && string_of(*at, "function_name") == "trunc") {
      at = &at->at("children").at(0);
    } else {
      break;
    }
  }
  const auto number = constant_number(*at);
  if (!number || number->mpq().get_den() != 1) return std::nullopt;
  const mpz_class whole = number->floor();
  if (abs(whole) > 4'000'000) return std::nullopt;
  return whole.get_si();
}

struct Shift {
  Function function;
  std::int64_t factor;
};

std::optional<Shift> shift_of(const std::string& name) {
  if (name == "to_days") return Shift{Function::kAddDays, 1};
  if (name == "to_weeks") return Shift{Function::kAddDays, 7};
  if (name == "to_months") return Shift{Function::kAddMonths, 1};
  if (name == "to_quarters") return Shift{Function::kAddMonths, 3};
  if (name == "to_years") return Shift{Function::kAddMonths, 12};
  if (name == "to_seconds") return Shift{Function::kAddSeconds, 1};
  if (name == "to_minutes") return Shift{Function::kAddSeconds, 60};
  if (name == "to_hours") return Shift{Function::kAddSeconds, 3600};
  return std::nullopt;
}

}  // namespace

std::optional<Type> type_of(const Json& type) {
  const std::string id = string_of(type, "id");
  if (id == "BOOLEAN") return kBooleanType;
  if (id == "TINYINT" || id == "SMALLINT" || id == "INTEGER" || id == "BIGINT" ||
      id == "UTINYINT" || id == "USMALLINT" || id == "UINTEGER") {
    return kIntegerType;
  }
  if (id == "HUGEINT" || id == "UBIGINT" || id == "UHUGEINT")
    return Type{TypeKind::kDecimal, 38, 0};
  if (id == "FLOAT" || id == "DOUBLE") return kRealType;
  if (id == "VARCHAR") return kTextType;
  if (id == "DATE") return kDateType;
  if (id == "TIMESTAMP") return kTimestampType;
  if (id == "DECIMAL") {
    const Json& info = type.at("type_info");
    if (!info.is_object()) return Type{TypeKind::kDecimal, 18, 3};
    return Type{TypeKind::kDecimal, info.at("width").get<std::uint8_t>(),
                info.at("scale").get<std::uint8_t>()};
  }
  if (id == "UNBOUND" && type.contains("type_info") && type["type_info"].is_object()) {
    const auto parsed = parse_type(string_of(type["type_info"], "name"));
    if (parsed) return *parsed;
  }
  return std::nullopt;
}

std::optional<Cell> parse_literal(std::string_view text, const Type& type) {
  switch (type.kind) {
    case TypeKind::kText:
      return Cell(std::string(text));
    case TypeKind::kBoolean:
      if (text == "t" || text == "true") return Cell(true);
      if (text == "f" || text == "false") return Cell(false);
      return std::nullopt;
    case TypeKind::kDate: {
      std::size_t at = 0;
      const auto days = parse_date(text, at);
      if (!days || at != text.size()) return std::nullopt;
      return Cell(int128{*days});
    }
    case TypeKind::kTimestamp:
      return parse_timestamp(text);
    case TypeKind::kInteger:
    case TypeKind::kDecimal:
    case TypeKind::kReal:
      return parse_number(text, type);
  }
  return std::nullopt;
}

ExpressionPtr literal_of(const Json& value) {
  const std::string id = string_of(value.at("type"), "id");
  if (value.value("is_null", false)) return make_literal(Cell(), kTextType);
  const auto type = type_of(value.at("type"));
  if (!type) return nullptr;
  const Json& content = value.at("value");
  switch (type->kind) {
    case TypeKind::kBoolean:
      return make_literal(Cell(content.get<bool>()), *type);
    case TypeKind::kText:
      return content.is_string() ? make_literal(Cell(content.get<std::string>()), *type) : nullptr;
    case TypeKind::kReal:
      return content.is_number() && std::isfinite(content.get<double>())
                 ? make_literal(Cell(content.get<double>()), *type)
                 : nullptr;
    case TypeKind::kInteger:
    case TypeKind::kDecimal: {
      const auto integer = integer_of(content);
      if (!integer) return nullptr;
      return make_literal(Cell(*integer), id == "DECIMAL" ? *type : type_of_integer(*integer));
    }
    default:
      return nullptr;
  }
}

std::optional<Rational> constant_number(const Json& node) {
  const std::string kind = string_of(node, "class");
  if (kind == "CAST") return constant_number(node.at("child"));
  if (kind == "FUNCTION" && string_of(node, "function_name") == "-" &&
      node.at("children").size() == 1) {
    const auto inner = constant_number(node.at("children").at(0));
    if (inner) return -*inner;
    return std::nullopt;
  }
  if (kind != "CONSTANT") return std::nullopt;
  const ExpressionPtr literal = literal_of(node.at("value"));
  if (!literal || !literal->type().is_number()) return std::nullopt;
  return literal->facts().lower;
}

std::optional<Result<ExpressionPtr>> bind_date_shift(const Json& node, const Scope& scope,
                                                     const QueryText& text) {
  const std::string sign = string_of(node, "function_name");
  if ((sign != "+" && sign != "-") || node.at("children").size() != 2) return std::nullopt;
  const Json& amount = node.at("children").at(1);
  if (string_of(amount, "class") != "FUNCTION") return std::nullopt;
  const auto shift = shift_of(string_of(amount, "function_name"));
  if (!shift) return std::nullopt;
  const auto bind = [&]() -> Result<ExpressionPtr> {
    const auto count = interval_count(amount.at("children").at(0));
    if (!count) {
      return text.refuse(amount, "the length of an INTERVAL must be a whole number",
                         "write it as INTERVAL 3 DAY");
    }
    TACIT_ASSIGN_OR_RETURN(auto date, bind_expression(node.at("children").at(0), scope, text));
    const bool seconds = shift->function == Function::kAddSeconds;
    if (date->type().kind == TypeKind::kDate && seconds) date = coerce(date, kTimestampType);
    if (date->type().kind != TypeKind::kDate && date->type().kind != TypeKind::kTimestamp) {
      return text.refuse(node, "an INTERVAL is added to a date or timestamp", "CAST it first");
    }
    const std::int64_t signed_count = (sign == "-" ? -1 : 1) * *count * shift->factor;
    const Type type = date->type();
    return make_call(shift->function,
                     {std::move(date), make_literal(Cell(int128{signed_count}), kIntegerType)},
                     type);
  };
  return bind();
}

}  // namespace tacit::sql
