#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tacit/data/bounded_text_internal.h"
#include "tacit/data/duckdb_dialect_internal.h"

// The functions of private SQL in DuckDB's words. TRY(x) is NULL where x would raise an error; it
// stands only where an error is possible by type.

namespace tacit {
namespace {

// Digits in all, and after the point, of an exact number.
struct Digits {
  int all = 0;
  int scale = 0;
};

Digits digits(const Type& type) {
  if (type.kind == TypeKind::kInteger) return {.all = 19, .scale = 0};
  return {.all = type.precision, .scale = type.scale};
}

// Enough for every sum or product.
Digits needed(Function function, Digits a, Digits b) {
  if (function == Function::kMultiply) return {a.all + b.all, a.scale + b.scale};
  const int scale = std::max(a.scale, b.scale);
  return {std::max(a.all - a.scale, b.all - b.scale) + scale + 1, scale};
}

// DuckDB stays in 64 bits (18 digits) where both operands do, and else in 128 bits (38).
constexpr int kNarrow = 18;
constexpr int kWide = 38;

Type given(Digits need, Digits a, Digits b) {
  const int most = a.all <= kNarrow && b.all <= kNarrow ? kNarrow : kWide;
  return {TypeKind::kDecimal, static_cast<std::uint8_t>(std::min(need.all, most)),
          static_cast<std::uint8_t>(need.scale)};
}

char symbol(Function function) {
  switch (function) {
    case Function::kAdd:
      return '+';
    case Function::kSubtract:
      return '-';
    case Function::kMultiply:
      return '*';
    case Function::kDivide:
      return '/';
    default:
      std::unreachable();
  }
}

// NULL for NaN and infinities.
std::string finite(std::string_view real) {
  return fmt::format("CASE WHEN isfinite({0}) THEN {0} END", real);
}

// What stands inside finite(). Sums and products of NaN and infinities are never finite again, so
// the check of the outermost is enough, and an expression does not double at every level.
std::string_view unchecked(std::string_view text) {
  constexpr std::string_view kBefore = "CASE WHEN isfinite(";
  constexpr std::string_view kBetween = ") THEN ";
  constexpr std::string_view kAfter = " END";
  constexpr std::size_t kFrame = kBefore.size() + kBetween.size() + kAfter.size();
  if (text.size() <= kFrame || (text.size() - kFrame) % 2 != 0) return text;
  const std::string_view inside = text.substr(kBefore.size(), (text.size() - kFrame) / 2);
  return text == finite(inside) ? inside : text;
}

// The first and the last value of the type inside the years 1 to 9999.
std::pair<std::string_view, std::string_view> year_limits(const Type& type) {
  if (type.kind == TypeKind::kDate) return {"DATE '0001-01-01'", "DATE '9999-12-31'"};
  return {"TIMESTAMP '0001-01-01 00:00:00'", "TIMESTAMP '9999-12-31 23:59:59.999999'"};
}

std::string within_years(std::string_view moment, const Type& type, std::string_view value) {
  const auto [first, last] = year_limits(type);
  return fmt::format("CASE WHEN {} BETWEEN {} AND {} THEN {} END", moment, first, last, value);
}

constexpr std::string_view kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kSmalls = "abcdefghijklmnopqrstuvwxyz";

class Caller {
 public:
  Caller(const DuckdbDialect& dialect, std::span<const std::string> arguments,
         std::span<const Type> types, const Type& result)
      : dialect_(dialect), arguments_(arguments), types_(types), result_(result) {}

  [[nodiscard]] std::string call(Function function) const {
    switch (function) {
      case Function::kAnd:
        return joined(" AND ");
      case Function::kOr:
        return joined(" OR ");
      case Function::kNot:
        return format("(NOT {})");
      case Function::kEqual:
        return joined(" = ");
      case Function::kNotEqual:
        return joined(" <> ");
      case Function::kLess:
        return joined(" < ");
      case Function::kLessEqual:
        return joined(" <= ");
      case Function::kGreater:
        return joined(" > ");
      case Function::kGreaterEqual:
        return joined(" >= ");
      case Function::kIsNull:
        return format("({} IS NULL)");
      case Function::kIsNotNull:
        return format("({} IS NOT NULL)");
      case Function::kIn:
        return in();
      case Function::kLike:
        return like();
      case Function::kCoalesce:
        return listed("coalesce");
      case Function::kNullIf:
        return listed("nullif");
      case Function::kLeast:
        return listed("least");
      case Function::kGreatest:
        return listed("greatest");
      case Function::kAdd:
      case Function::kSubtract:
      case Function::kMultiply:
        return arithmetic(function);
      case Function::kDivide:
        return finite(fmt::format("({} / {})", unchecked(real(0)), real(1)));
      case Function::kIntegerDivide:
        return format("TRY({} // {})");
      case Function::kModulo:
        return format("TRY({} % {})");
      case Function::kNegate:
        return is_integer(0) ? format("TRY(-{})") : format("(-{})");
      case Function::kAbs:
        return is_integer(0) ? format("TRY(abs({}))") : format("abs({})");
      case Function::kSign:
        return format("CAST(sign({}) AS BIGINT)");
      case Function::kFloor:
        return to_integer("floor");
      case Function::kCeil:
        return to_integer("ceil");
      case Function::kRound:
        return to_integer("round");
      case Function::kSqrt:
        return fmt::format("CASE WHEN {0} >= 0 AND {0} < 'inf' THEN sqrt({0}) END", real(0));
      case Function::kLn:
        return fmt::format("CASE WHEN {0} > 0 AND {0} < 'inf' THEN ln({0}) END", real(0));
      case Function::kExp:
        return finite(fmt::format("exp({})", real(0)));
      case Function::kPower:
        return finite(fmt::format("pow({}, {})", real(0), real(1)));
      case Function::kWidthBucket:
        return width_bucket();
      default:
        return call_text_or_moment(function);
    }
  }

 private:
  [[nodiscard]] std::string call_text_or_moment(Function function) const {
    switch (function) {
      case Function::kLower:
        return change_case("lower", kCapitals, kSmalls);
      case Function::kUpper:
        return change_case("upper", kSmalls, kCapitals);
      case Function::kLength:
        return listed("length");
      case Function::kSubstring:
        return substring();
      case Function::kConcat:
        return bounded_concat("concat(", arguments_);
      case Function::kTrim:
        return format("trim({}, ' ')");
      case Function::kReplace:
        return bounded_replace(arguments_);
      case Function::kStartsWith:
        return listed("starts_with");
      case Function::kEndsWith:
        return listed("ends_with");
      case Function::kContains:
        return listed("contains");
      case Function::kYear:
        return part("year");
      case Function::kQuarter:
        return part("quarter");
      case Function::kMonth:
        return part("month");
      case Function::kDay:
        return part("day");
      case Function::kDayOfWeek:
        return part("dayofweek");
      case Function::kDayOfYear:
        return part("dayofyear");
      case Function::kHour:
        return part("hour");
      case Function::kMinute:
        return part("minute");
      case Function::kSecond:
        return part("second");
      case Function::kTruncateYear:
        return truncate("year");
      case Function::kTruncateQuarter:
        return truncate("quarter");
      case Function::kTruncateMonth:
        return truncate("month");
      case Function::kTruncateWeek:
        return truncate("week");
      case Function::kTruncateDay:
        return truncate("day");
      case Function::kTruncateHour:
        return truncate("hour");
      case Function::kTruncateMinute:
        return truncate("minute");
      case Function::kAddDays:
        return add("to_days", "INTEGER");
      case Function::kAddMonths:
        return add("to_months", "INTEGER");
      case Function::kAddSeconds:
        return add("to_seconds", "BIGINT");
      case Function::kDaysBetween:
        return days_between();
      default:
        std::unreachable();
    }
  }

  [[nodiscard]] bool is_integer(std::size_t i) const {
    return types_[i].kind == TypeKind::kInteger;
  }

  [[nodiscard]] std::string format(std::string_view pattern) const {
    return arguments_.size() == 1
               ? fmt::format(fmt::runtime(pattern), arguments_[0])
               : fmt::format(fmt::runtime(pattern), arguments_[0], arguments_[1]);
  }

  [[nodiscard]] std::string joined(std::string_view between) const {
    return fmt::format("({})", fmt::join(arguments_, between));
  }

  [[nodiscard]] std::string listed(std::string_view name) const {
    return fmt::format("{}({})", name, fmt::join(arguments_, ", "));
  }

  [[nodiscard]] std::string real(std::size_t i) const {
    return dialect_.cast(arguments_[i], types_[i], kRealType);
  }

  [[nodiscard]] std::string in() const {
    return fmt::format("({} IN ({}))", arguments_[0], fmt::join(arguments_.subspan(1), ", "));
  }

  // Without an escape the engine turns simple patterns into faster searches.
  [[nodiscard]] std::string like() const {
    const bool has_escape = arguments_[1].contains('\\');
    return fmt::format("({} LIKE {}{})", arguments_[0], arguments_[1],
                       has_escape ? " ESCAPE '\\'" : "");
  }

  [[nodiscard]] std::string arithmetic(Function function) const {
    const auto is_real = [](const Type& type) { return type.kind == TypeKind::kReal; };
    if (std::ranges::any_of(types_, is_real) || is_real(result_)) {
      return finite(
          fmt::format("({} {} {})", unchecked(real(0)), symbol(function), unchecked(real(1))));
    }
    if (is_integer(0) && is_integer(1)) {
      const std::string value =
          fmt::format("TRY({} {} {})", arguments_[0], symbol(function), arguments_[1]);
      return dialect_.cast(value, kIntegerType, result_);
    }
    return decimal_arithmetic(function);
  }

  [[nodiscard]] std::string decimal_arithmetic(Function function) const {
    std::string left = arguments_[0];
    Digits a = digits(types_[0]);
    const Digits b = digits(types_[1]);
    const bool is_wide_wanted = digits(result_).all > kNarrow;
    if (is_wide_wanted && a.all <= kNarrow && needed(function, a, b).all > kNarrow) {
      const Type wider{TypeKind::kDecimal, kNarrow + 1, types_[0].scale};
      left = dialect_.cast(left, types_[0], wider);
      a = digits(wider);
    }
    const Digits need = needed(function, a, b);
    const Type type = given(need, a, b);
    const bool can_fail = need.all > type.precision;
    return dialect_.cast(
        fmt::format("{}({} {} {})", can_fail ? "TRY" : "", left, symbol(function), arguments_[1]),
        type, result_);
  }

  [[nodiscard]] std::string to_integer(std::string_view function) const {
    if (is_integer(0)) return arguments_[0];
    return fmt::format("TRY_CAST({}({}) AS BIGINT)", function, arguments_[0]);
  }

  [[nodiscard]] std::string width_bucket() const {
    return fmt::format(
        "CASE WHEN NOT ({1} < {2} AND isfinite({2} - {1}) AND {3} BETWEEN 1 AND 1000000000) THEN "
        "NULL WHEN {0} < {1} THEN 0 WHEN {0} >= {2} THEN {3} + 1 WHEN {0} IS NOT NULL THEN "
        "least({3}, CAST(floor(({0} - {1}) / ({2} - {1}) * {3}) AS BIGINT) + 1) END",
        real(0), real(1), real(2), arguments_[3]);
  }

  // As the standard has it: of the places first to first + count - 1 those that exist. The engine
  // would count a place below 1 from the end.
  [[nodiscard]] std::string substring() const {
    constexpr std::string_view kRange = "greatest(least({}, 2147483647), -2147483648)";
    const std::string first = fmt::format(kRange, arguments_[1]);
    const std::string count = fmt::format(kRange, arguments_[2]);
    return fmt::format(
        "CASE WHEN {2} >= 0 AND {1} IS NOT NULL THEN substring({0}, greatest({3}, 1), "
        "greatest(least({4}, {4} + {3} - 1), 0)) END",
        arguments_[0], arguments_[1], arguments_[2], first, count);
  }

  // The engine's own functions go beyond ASCII, each engine's differently; where there is nothing
  // else (as many bytes as code points) they do the same, and faster.
  [[nodiscard]] std::string change_case(std::string_view function, std::string_view from,
                                        std::string_view to) const {
    return fmt::format(
        "CASE WHEN strlen({0}) = length({0}) THEN {1}({0}) ELSE translate({0}, '{2}', '{3}') END",
        arguments_[0], function, from, to);
  }

  [[nodiscard]] std::string part(std::string_view name) const {
    return within_years(arguments_[0], types_[0], fmt::format("{}({})", name, arguments_[0]));
  }

  [[nodiscard]] std::string truncate(std::string_view period) const {
    const std::string begin = fmt::format("date_trunc('{}', {})", period, arguments_[0]);
    const bool is_date = types_[0].kind == TypeKind::kDate;
    return within_years(arguments_[0], types_[0],
                        is_date ? fmt::format("CAST({} AS DATE)", begin) : begin);
  }

  // Of an interval and a date the engine makes a timestamp.
  [[nodiscard]] std::string add(std::string_view interval, std::string_view type) const {
    const std::string sum =
        fmt::format("TRY({} + {}(CAST({} AS {})))", arguments_[0], interval, arguments_[1], type);
    const std::string value =
        types_[0].kind == TypeKind::kDate ? fmt::format("CAST({} AS DATE)", sum) : sum;
    return within_years(arguments_[0], types_[0], within_years(sum, kTimestampType, value));
  }

  [[nodiscard]] std::string days_between() const {
    const auto day = [this](std::size_t i) {
      const bool is_date = types_[i].kind == TypeKind::kDate;
      return within_years(arguments_[i], types_[i],
                          is_date ? arguments_[i] : fmt::format("CAST({} AS DATE)", arguments_[i]));
    };
    return fmt::format("({} - {})", day(0), day(1));
  }

  const DuckdbDialect& dialect_;
  std::span<const std::string> arguments_;
  std::span<const Type> types_;
  const Type& result_;
};

}  // namespace

std::string DuckdbDialect::call(Function function, std::span<const std::string> arguments,
                                std::span<const Type> types, const Type& result) const {
  return Caller(*this, arguments, types, result).call(function);
}

}  // namespace tacit
