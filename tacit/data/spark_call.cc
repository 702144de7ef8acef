#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tacit/data/bounded_text_internal.h"
#include "tacit/data/spark_dialect_internal.h"

// The functions of private SQL in Spark's words.

namespace tacit {
namespace {

constexpr std::string_view kLeast = "CAST('-9223372036854775808' AS BIGINT)";
constexpr std::string_view kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kSmalls = "abcdefghijklmnopqrstuvwxyz";

// What stands inside spark_finite(). Sums and products of NaN and infinities are never finite
// again, so the check of the outermost is enough, and an expression does not double at every level.
std::string_view unchecked(std::string_view text) {
  constexpr std::string_view kBefore = "CASE WHEN abs(";
  constexpr std::string_view kBetween = ") < double('Infinity') THEN ";
  constexpr std::string_view kAfter = " END";
  constexpr std::size_t kFrame = kBefore.size() + kBetween.size() + kAfter.size();
  if (text.size() <= kFrame || (text.size() - kFrame) % 2 != 0) return text;
  const std::string_view inside = text.substr(kBefore.size(), (text.size() - kFrame) / 2);
  return text == spark_finite(inside) ? inside : text;
}

std::string integer(std::string_view value) { return fmt::format("CAST({} AS BIGINT)", value); }

class Caller {
 public:
  Caller(const SparkDialect& dialect, std::span<const std::string> arguments,
         std::span<const Type> types, const Type& result)
      : dialect_(dialect), arguments_(arguments), types_(types), result_(result) {}

  [[nodiscard]] std::string call(Function function) const {
    switch (function) {
      case Function::kAnd:
        return joined(" AND ");
      case Function::kOr:
        return joined(" OR ");
      case Function::kNot:
        return one("(NOT {})");
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
        return one("({} IS NULL)");
      case Function::kIsNotNull:
        return one("({} IS NOT NULL)");
      case Function::kIn:
        return fmt::format("({} IN ({}))", arguments_[0], fmt::join(arguments_.subspan(1), ", "));
      case Function::kLike:
        return joined(" LIKE ");
      case Function::kCoalesce:
        return listed("coalesce");
      case Function::kNullIf:
        return listed("nullif");
      case Function::kLeast:
        return listed("least");
      case Function::kGreatest:
        return listed("greatest");
      default:
        return call_arithmetic(function);
    }
  }

 private:
  [[nodiscard]] std::string call_arithmetic(Function function) const {
    switch (function) {
      case Function::kAdd:
        return arithmetic("+", "try_add");
      case Function::kSubtract:
        return arithmetic("-", "try_subtract");
      case Function::kMultiply:
        return arithmetic("*", "try_multiply");
      case Function::kDivide:
        return spark_finite(fmt::format("try_divide({}, {})", unchecked(real(0)), real(1)));
      case Function::kIntegerDivide:
        return divided("div");
      case Function::kModulo:
        return divided("%");
      case Function::kNegate:
        return safe_integer("(-{})");
      case Function::kAbs:
        return safe_integer("abs({})");
      case Function::kSign:
        return one("CASE WHEN isnan({0}) THEN 0L ELSE CAST(sign({0}) AS BIGINT) END");
      case Function::kFloor:
        return to_integer("floor({})");
      case Function::kCeil:
        return to_integer("ceil({})");
      case Function::kRound:
        return to_integer("round({}, 0)");
      case Function::kSqrt:
        return fmt::format("CASE WHEN {0} >= 0 THEN {1} END", real(0),
                           spark_finite(fmt::format("sqrt({})", real(0))));
      case Function::kLn:
        return fmt::format("CASE WHEN {0} > 0 THEN {1} END", real(0),
                           spark_finite(fmt::format("ln({})", real(0))));
      case Function::kExp:
        return spark_finite(fmt::format("exp({})", real(0)));
      case Function::kPower:
        return spark_finite(fmt::format("pow({}, {})", real(0), real(1)));
      case Function::kWidthBucket:
        return width_bucket();
      default:
        return call_text(function);
    }
  }

  [[nodiscard]] std::string call_text(Function function) const {
    switch (function) {
      // Spark's own lower and upper go beyond ASCII.
      case Function::kLower:
        return fmt::format("translate({}, '{}', '{}')", arguments_[0], kCapitals, kSmalls);
      case Function::kUpper:
        return fmt::format("translate({}, '{}', '{}')", arguments_[0], kSmalls, kCapitals);
      case Function::kLength:
        return integer(listed("char_length"));
      case Function::kSubstring:
        return substring();
      case Function::kConcat:
        return bounded_concat("concat_ws('', ", arguments_);
      case Function::kTrim:
        return listed("trim");
      case Function::kReplace:
        return bounded_replace(arguments_);
      case Function::kStartsWith:
        return listed("startswith");
      case Function::kEndsWith:
        return listed("endswith");
      case Function::kContains:
        return listed("contains");
      default:
        return call_moment(function);
    }
  }

  [[nodiscard]] std::string call_moment(Function function) const {
    switch (function) {
      case Function::kYear:
        return part("year({})");
      case Function::kQuarter:
        return part("quarter({})");
      case Function::kMonth:
        return part("month({})");
      case Function::kDay:
        return part("day({})");
      case Function::kDayOfWeek:
        return part("(dayofweek({}) - 1)");
      case Function::kDayOfYear:
        return part("dayofyear({})");
      case Function::kHour:
        return part(is_date(0) ? "0" : "hour({})");
      case Function::kMinute:
        return part(is_date(0) ? "0" : "minute({})");
      case Function::kSecond:
        return part(is_date(0) ? "0" : "second({})");
      case Function::kTruncateYear:
        return truncate("YEAR");
      case Function::kTruncateQuarter:
        return truncate("QUARTER");
      case Function::kTruncateMonth:
        return truncate("MONTH");
      case Function::kTruncateWeek:
        return truncate("WEEK");
      case Function::kTruncateDay:
        return truncate("DAY");
      case Function::kTruncateHour:
        return truncate("HOUR");
      case Function::kTruncateMinute:
        return truncate("MINUTE");
      case Function::kAddDays:
        return add_days();
      case Function::kAddMonths:
        return add_months();
      case Function::kAddSeconds:
        return add_seconds();
      case Function::kDaysBetween:
        return days_between();
      default:
        std::unreachable();
    }
  }

  [[nodiscard]] bool is_integer(std::size_t i) const {
    return types_[i].kind == TypeKind::kInteger;
  }

  [[nodiscard]] bool is_date(std::size_t i) const { return types_[i].kind == TypeKind::kDate; }

  [[nodiscard]] std::string one(std::string_view pattern) const {
    return fmt::format(fmt::runtime(pattern), arguments_[0]);
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

  [[nodiscard]] std::string arithmetic(std::string_view symbol, std::string_view total) const {
    const auto is_real = [](const Type& type) { return type.kind == TypeKind::kReal; };
    if (std::ranges::any_of(types_, is_real) || is_real(result_)) {
      return spark_finite(
          fmt::format("({} {} {})", unchecked(real(0)), symbol, unchecked(real(1))));
    }
    const std::string value = listed(total);
    if (is_integer(0) && is_integer(1)) return dialect_.cast(value, kIntegerType, result_);
    return fmt::format("try_cast({} AS {})", value, dialect_.type(result_));
  }

  // The least integer over -1 has no room; Spark would give the least again.
  [[nodiscard]] std::string divided(std::string_view symbol) const {
    return fmt::format(
        "CASE WHEN {1} = 0 OR ({0} = {3} AND {1} = -1) THEN NULL ELSE {0} {2} {1} END",
        arguments_[0], arguments_[1], symbol, kLeast);
  }

  // The least integer has no opposite.
  [[nodiscard]] std::string safe_integer(std::string_view pattern) const {
    if (!is_integer(0)) return one(pattern);
    return fmt::format("CASE WHEN {} <> {} THEN {} END", arguments_[0], kLeast, one(pattern));
  }

  [[nodiscard]] std::string to_integer(std::string_view pattern) const {
    if (is_integer(0)) return arguments_[0];
    if (types_[0].kind == TypeKind::kDecimal) {
      return fmt::format("try_cast({} AS BIGINT)", one(pattern));
    }
    return spark_within_integers(arguments_[0], integer(one(pattern)));
  }

  [[nodiscard]] std::string width_bucket() const {
    return fmt::format(
        "CASE WHEN NOT ({1} < {2} AND abs({2} - {1}) < double('Infinity') AND {3} BETWEEN 1 AND "
        "1000000000) THEN NULL WHEN {0} < {1} THEN 0L WHEN {0} >= {2} THEN {3} + 1 "
        "WHEN {0} IS NOT NULL THEN "
        "least({3}, CAST(floor(({0} - {1}) / ({2} - {1}) * {3}) AS BIGINT) + 1) END",
        real(0), real(1), real(2), arguments_[3]);
  }

  // As the standard has it: of the places first to first + count - 1 those that exist.
  [[nodiscard]] std::string substring() const {
    constexpr std::string_view kRange = "greatest(least({}, 2147483647L), -2147483648L)";
    const std::string first = fmt::format(kRange, arguments_[1]);
    const std::string count = fmt::format(kRange, arguments_[2]);
    return fmt::format(
        "CASE WHEN {2} >= 0 AND {1} IS NOT NULL THEN substring({0}, CAST(greatest({3}, 1L) AS INT),"
        " CAST(greatest(least({4}, {4} + {3} - 1), 0L) AS INT)) END",
        arguments_[0], arguments_[1], arguments_[2], first, count);
  }

  [[nodiscard]] std::string within_years(std::size_t i, std::string_view value) const {
    return spark_within_years(arguments_[i], types_[i], value);
  }

  [[nodiscard]] std::string part(std::string_view pattern) const {
    return within_years(0, integer(one(pattern)));
  }

  // Of a date there is no truncation to less than a week.
  [[nodiscard]] std::string truncate(std::string_view period) const {
    const bool is_short = period == "DAY" || period == "HOUR" || period == "MINUTE";
    if (is_date(0) && is_short) return within_years(0, arguments_[0]);
    if (is_date(0)) return within_years(0, fmt::format("trunc({}, '{}')", arguments_[0], period));
    return within_years(
        0, fmt::format("CAST(date_trunc('{}', {}) AS TIMESTAMP_NTZ)", period, arguments_[0]));
  }

  // The value where the second argument, an integer, lies between the two; the first lies within
  // the years.
  [[nodiscard]] std::string where_between(std::string_view least, std::string_view most,
                                          std::string_view value) const {
    return within_years(0, fmt::format("CASE WHEN {} BETWEEN {} AND {} THEN {} END", arguments_[1],
                                       least, most, value));
  }

  [[nodiscard]] std::string add_days() const {
    const std::string sum =
        is_date(0) ? fmt::format("date_add({}, CAST({} AS INT))", arguments_[0], arguments_[1])
                   : fmt::format("timestampadd(DAY, {1}, {0})", arguments_[0], arguments_[1]);
    return where_between(
        fmt::format("datediff(DATE '0001-01-01', CAST({} AS DATE))", arguments_[0]),
        fmt::format("datediff(DATE '9999-12-31', CAST({} AS DATE))", arguments_[0]), sum);
  }

  [[nodiscard]] std::string add_months() const {
    const std::string sum =
        is_date(0) ? fmt::format("add_months({}, CAST({} AS INT))", arguments_[0], arguments_[1])
                   : fmt::format("timestampadd(MONTH, {1}, {0})", arguments_[0], arguments_[1]);
    // Months since January of the year 0.
    const std::string month = fmt::format("(year({0}) * 12 + month({0}) - 1)", arguments_[0]);
    return where_between(fmt::format("(12 - {})", month), fmt::format("(119999 - {})", month), sum);
  }

  [[nodiscard]] std::string add_seconds() const {
    return where_between(
        fmt::format("timestampdiff(SECOND, {}, TIMESTAMP_NTZ '0001-01-01 00:00:00')",
                    arguments_[0]),
        fmt::format("timestampdiff(SECOND, {}, TIMESTAMP_NTZ '9999-12-31 23:59:59.999999')",
                    arguments_[0]),
        fmt::format("timestampadd(SECOND, {1}, {0})", arguments_[0], arguments_[1]));
  }

  [[nodiscard]] std::string days_between() const {
    const auto day = [this](std::size_t i) {
      return within_years(i, fmt::format("CAST({} AS DATE)", arguments_[i]));
    };
    return integer(fmt::format("datediff({}, {})", day(0), day(1)));
  }

  const SparkDialect& dialect_;
  std::span<const std::string> arguments_;
  std::span<const Type> types_;
  const Type& result_;
};

}  // namespace

std::string SparkDialect::call(Function function, std::span<const std::string> arguments,
                               std::span<const Type> types, const Type& result) const {
  return Caller(*this, arguments, types, result).call(function);
}

}  // namespace tacit
