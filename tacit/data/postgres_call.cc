#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tacit/data/bounded_text_internal.h"
#include "tacit/data/postgres_dialect_internal.h"

// The functions of private SQL in PostgreSQL's words. Its doubles raise errors where IEEE 754 has
// infinities and zeros, so magnitudes are looked at first.

namespace tacit {
namespace {

constexpr std::string_view kLeast = "CAST('-9223372036854775808' AS bigint)";
constexpr std::string_view kInfinity = "CAST('Infinity' AS double precision)";

constexpr std::string_view kSum =
    "CASE WHEN abs({0}) < 8e307 AND abs({1}) < 8e307 THEN {0} + {1} END";
constexpr std::string_view kDifference =
    "CASE WHEN abs({0}) < 8e307 AND abs({1}) < 8e307 THEN {0} - {1} END";

constexpr std::string_view kProduct =
    "CASE WHEN NOT (abs({0}) < 1e300 AND abs({1}) < 1e300) THEN NULL "
    "WHEN abs({0}) >= 1e300 / greatest(abs({1}), 1) THEN NULL "
    "WHEN abs({1}) <= 1e-300 OR abs({0}) <= 1e-300 THEN 0 "
    "WHEN abs({0}) <= 1e-300 / least(abs({1}), 1) THEN 0 ELSE {0} * {1} END";

constexpr std::string_view kQuotient =
    "CASE WHEN NOT abs({0}) < 1e300 OR {1} = 0 OR {1} = 'NaN' THEN NULL "
    "WHEN abs({0}) <= 1e-300 OR abs({1}) = 'Infinity' THEN 0 "
    "WHEN abs({0}) >= 1e300 * least(abs({1}), 1) THEN NULL "
    "WHEN abs({0}) <= 1e-300 * greatest(abs({1}), 1) THEN 0 ELSE {0} / {1} END";

constexpr std::string_view kPower =
    "CASE WHEN NOT (abs({0}) < 1e300 AND abs({1}) < 1e300) THEN NULL "
    "WHEN {0} = 0 THEN CASE WHEN {1} > 0 THEN 0 WHEN {1} = 0 THEN 1 END "
    "WHEN abs({1}) < 1e-290 THEN 1 WHEN {0} < 0 AND {1} <> trunc({1}) THEN NULL "
    "WHEN {1} * ln(abs({0})) > 709.78 THEN NULL WHEN {1} * ln(abs({0})) < -700 THEN 0 "
    "ELSE power({0}, {1}) END";

std::string of_reals(std::string_view pattern, std::string_view a, std::string_view b) {
  return postgres_once(a, b, [pattern](std::string_view x, std::string_view y) {
    return fmt::format(fmt::runtime(pattern), x, y);
  });
}

constexpr std::string_view kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kSmalls = "abcdefghijklmnopqrstuvwxyz";

class Caller {
 public:
  Caller(const PostgresDialect& dialect, std::span<const std::string> arguments,
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
        return compared(" < ");
      case Function::kLessEqual:
        return compared(" <= ");
      case Function::kGreater:
        return compared(" > ");
      case Function::kGreaterEqual:
        return compared(" >= ");
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
        return fmt::format("least({})", fmt::join(by_bytes(), ", "));
      case Function::kGreatest:
        return fmt::format("greatest({})", fmt::join(by_bytes(), ", "));
      case Function::kAdd:
        return arithmetic('+', kSum);
      case Function::kSubtract:
        return arithmetic('-', kDifference);
      case Function::kMultiply:
        return arithmetic('*', kProduct);
      case Function::kDivide:
        return of_reals(kQuotient, real(0), real(1));
      case Function::kIntegerDivide:
        return divided('/');
      case Function::kModulo:
        return divided('%');
      case Function::kNegate:
        return safe_integer("(-{})");
      case Function::kAbs:
        return safe_integer("abs({})");
      case Function::kSign:
        return one("CAST(sign({}) AS bigint)");
      case Function::kFloor:
        return to_integer("floor");
      case Function::kCeil:
        return to_integer("ceil");
      case Function::kRound:
        return dialect_.cast(arguments_[0], types_[0], kIntegerType);
      case Function::kSqrt:
        return fmt::format("CASE WHEN {0} >= 0 AND {0} < {1} THEN sqrt({0}) END", real(0),
                           kInfinity);
      case Function::kLn:
        return fmt::format("CASE WHEN {0} > 0 AND {0} < {1} THEN ln({0}) END", real(0), kInfinity);
      case Function::kExp:
        return fmt::format(
            "CASE WHEN {0} > 709.782712893383 THEN NULL WHEN {0} < -745 THEN 0 ELSE exp({0}) END",
            real(0));
      case Function::kPower:
        return of_reals(kPower, real(0), real(1));
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
        return fmt::format("translate({}, '{}', '{}')", arguments_[0], kCapitals, kSmalls);
      case Function::kUpper:
        return fmt::format("translate({}, '{}', '{}')", arguments_[0], kSmalls, kCapitals);
      case Function::kLength:
        return one("CAST(char_length({}) AS bigint)");
      case Function::kSubstring:
        return substring();
      case Function::kConcat:
        return bounded_concat("concat(", arguments_);
      case Function::kTrim:
        return one("btrim({}, ' ')");
      case Function::kReplace:
        return bounded_replace(arguments_);
      case Function::kStartsWith:
        return listed("starts_with");
      case Function::kEndsWith:
        return fmt::format("(right({0}, char_length({1})) = {1})", arguments_[0], arguments_[1]);
      case Function::kContains:
        return fmt::format("(strpos({}, {}) > 0)", arguments_[0], arguments_[1]);
      case Function::kYear:
        return part("year");
      case Function::kQuarter:
        return part("quarter");
      case Function::kMonth:
        return part("month");
      case Function::kDay:
        return part("day");
      case Function::kDayOfWeek:
        return part("dow");
      case Function::kDayOfYear:
        return part("doy");
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

  [[nodiscard]] std::string one(std::string_view pattern) const {
    return fmt::format(fmt::runtime(pattern), arguments_[0]);
  }

  [[nodiscard]] std::string joined(std::string_view between) const {
    return fmt::format("({})", fmt::join(arguments_, between));
  }

  [[nodiscard]] std::string listed(std::string_view name) const {
    return fmt::format("{}({})", name, fmt::join(arguments_, ", "));
  }

  // The order of a database's own collation depends on its locale.
  [[nodiscard]] std::vector<std::string> by_bytes() const {
    std::vector<std::string> operands(arguments_.begin(), arguments_.end());
    if (types_[0].kind != TypeKind::kText) return operands;
    for (std::string& operand : operands) operand = fmt::format("({} COLLATE \"C\")", operand);
    return operands;
  }

  [[nodiscard]] std::string compared(std::string_view symbol) const {
    return fmt::format("({})", fmt::join(by_bytes(), symbol));
  }

  [[nodiscard]] std::string real(std::size_t i) const {
    return dialect_.cast(arguments_[i], types_[i], kRealType);
  }

  [[nodiscard]] std::string arithmetic(char symbol, std::string_view pattern) const {
    const auto is_real = [](const Type& type) { return type.kind == TypeKind::kReal; };
    if (std::ranges::any_of(types_, is_real) || is_real(result_)) {
      return of_reals(pattern, real(0), real(1));
    }
    return postgres_fitted(
        fmt::format("(CAST({} AS numeric) {} {})", arguments_[0], symbol, arguments_[1]), result_);
  }

  [[nodiscard]] std::string divided(char symbol) const {
    return fmt::format(
        "CASE WHEN {1} = 0 OR ({0} = {3} AND {1} = -1) THEN NULL ELSE {0} {2} {1} END",
        arguments_[0], arguments_[1], symbol, kLeast);
  }

  // The least integer has no opposite.
  [[nodiscard]] std::string safe_integer(std::string_view pattern) const {
    if (!is_integer(0)) return one(pattern);
    return fmt::format("CASE WHEN {} <> {} THEN {} END", arguments_[0], kLeast, one(pattern));
  }

  [[nodiscard]] std::string to_integer(std::string_view function) const {
    if (is_integer(0)) return arguments_[0];
    const std::string whole = fmt::format("{}({})", function, arguments_[0]);
    if (types_[0].kind == TypeKind::kDecimal) return postgres_fitted(whole, kIntegerType);
    return fmt::format(
        "CASE WHEN {0} >= -9223372036854775808 AND {0} < 9223372036854775808 THEN CAST({0} AS "
        "bigint) END",
        whole);
  }

  [[nodiscard]] std::string width_bucket() const {
    return fmt::format(
        "CASE WHEN NOT ({1} < {2} AND abs({1}) < 8e307 AND abs({2}) < 8e307 AND {3} BETWEEN 1 AND "
        "1000000000) THEN NULL WHEN {0} < {1} THEN 0 WHEN {0} >= {2} THEN {3} + 1 "
        "WHEN {0} - {1} <= greatest({2} - {1}, 1e-280) * 1e-20 THEN 1 WHEN {0} IS NOT NULL THEN "
        "least({3}, CAST(floor(({0} - {1}) / ({2} - {1}) * {3}) AS bigint) + 1) END",
        real(0), real(1), real(2), arguments_[3]);
  }

  [[nodiscard]] std::string substring() const {
    constexpr std::string_view kRange = "greatest(least({}, 2147483647), -2147483648)";
    const std::string first = fmt::format(kRange, arguments_[1]);
    const std::string count = fmt::format(kRange, arguments_[2]);
    return fmt::format(
        "CASE WHEN {2} >= 0 AND {1} IS NOT NULL THEN substr({0}, CAST(greatest({3}, 1) AS "
        "integer), "
        "CAST(greatest(least({4}, {4} + {3} - 1), 0) AS integer)) END",
        arguments_[0], arguments_[1], arguments_[2], first, count);
  }

  [[nodiscard]] std::string part(std::string_view name) const {
    return postgres_within_years(
        arguments_[0], types_[0],
        fmt::format("CAST(floor(extract({} FROM CAST({} AS timestamp))) AS bigint)", name,
                    arguments_[0]));
  }

  [[nodiscard]] std::string truncate(std::string_view period) const {
    return postgres_within_years(arguments_[0], types_[0],
                                 fmt::format("CAST(date_trunc('{}', CAST({} AS timestamp)) AS {})",
                                             period, arguments_[0], dialect_.type(types_[0])));
  }

  // The first argument and an interval, where the second, an integer, lies between what the years
  // leave room for. No infinite date may reach a subtraction, hence one CASE inside the other; and
  // a literal is put into its interval before any CASE is looked at, hence the remainders there,
  // which change no number that gets so far.
  [[nodiscard]] std::string add(std::string_view interval, std::string_view least,
                                std::string_view most) const {
    return postgres_once(
        arguments_[0], arguments_[1], [&](std::string_view moment, std::string_view number) {
          const auto between = [&](std::string_view pattern) {
            return fmt::format(fmt::runtime(pattern), moment);
          };
          const std::string length = fmt::format(fmt::runtime(interval), number);
          const std::string sum = fmt::format("CAST({} + make_interval({}) AS {})", moment, length,
                                              dialect_.type(types_[0]));
          return postgres_within_years(moment, types_[0],
                                       fmt::format("CASE WHEN {} BETWEEN {} AND {} THEN {} END",
                                                   number, between(least), between(most), sum));
        });
  }

  [[nodiscard]] std::string add_days() const {
    return add("days => CAST({} % 4000000 AS integer)", "(DATE '0001-01-01' - CAST({} AS date))",
               "(DATE '9999-12-31' - CAST({} AS date))");
  }

  // By the months since January of the year 0.
  [[nodiscard]] std::string add_months() const {
    return add("months => CAST({} % 4000000 AS integer)",
               "(13 - extract(year FROM {0}) * 12 - extract(month FROM {0}))",
               "(120000 - extract(year FROM {0}) * 12 - extract(month FROM {0}))");
  }

  [[nodiscard]] std::string add_seconds() const {
    return add("days => CAST({0} / 86400 % 4000000 AS integer), secs => {0} % 86400",
               "extract(epoch FROM TIMESTAMP '0001-01-01' - {})",
               "extract(epoch FROM TIMESTAMP '9999-12-31 23:59:59.999999' - {})");
  }

  [[nodiscard]] std::string days_between() const {
    const auto day = [this](std::size_t i) {
      return postgres_within_years(arguments_[i], types_[i],
                                   fmt::format("CAST({} AS date)", arguments_[i]));
    };
    return fmt::format("CAST({} - {} AS bigint)", day(0), day(1));
  }

  const PostgresDialect& dialect_;
  std::span<const std::string> arguments_;
  std::span<const Type> types_;
  const Type& result_;
};

}  // namespace

std::string PostgresDialect::call(Function function, std::span<const std::string> arguments,
                                  std::span<const Type> types, const Type& result) const {
  return Caller(*this, arguments, types, result).call(function);
}

}  // namespace tacit
