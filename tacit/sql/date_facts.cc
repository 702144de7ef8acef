// What is known of functions of dates and timestamps.

#include <chrono>

#include "tacit/data/calendar_internal.h"
#include "tacit/sql/facts_internal.h"

namespace tacit::sql {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::sys_days;
using std::chrono::sys_time;
using std::chrono::year_month_day;

using Moment = sys_time<microseconds>;

// More periods than this are not listed.
constexpr std::size_t kMostPeriods = 4096;

struct Span {
  Moment first;
  Moment last;
};

Rational a_day() { return Rational(static_cast<std::int64_t>(kMicrosecondsADay)); }

// The number of microseconds that one step of the type has.
Rational step_of(const Type& type) { return type.kind == TypeKind::kDate ? a_day() : Rational(1); }

// From the first to the last moment that is expected; empty where there is no end, or one at which
// functions have no value.
std::optional<Span> span_of(const Expression& expression) {
  const Facts& facts = expression.facts();
  if (!facts.lower || !facts.upper || *facts.lower > *facts.upper) return std::nullopt;
  const mpz_class first = (*facts.lower * step_of(expression.type())).ceil();
  const mpz_class last = (*facts.upper * step_of(expression.type())).floor();
  const Rational earliest = Rational(static_cast<std::int64_t>(kFirstDay)) * a_day();
  const Rational latest = Rational(static_cast<std::int64_t>(kLastDay) + 1) * a_day();
  if (Rational(mpq_class(first)) < earliest || Rational(mpq_class(last)) >= latest) {
    return std::nullopt;
  }
  return Span{Moment(microseconds(first.get_si())), Moment(microseconds(last.get_si()))};
}

// The begin of the period that holds a moment.
Moment begin_of(Function period, Moment moment) {
  const sys_days day = floor<days>(moment);
  const year_month_day date(day);
  const unsigned month = static_cast<unsigned>(date.month());
  switch (period) {
    case Function::kTruncateYear:
      return sys_days(date.year() / 1 / 1);
    case Function::kTruncateQuarter:
      return sys_days(date.year() / std::chrono::month(month - (month - 1) % 3) / 1);
    case Function::kTruncateMonth:
      return sys_days(date.year() / date.month() / 1);
    case Function::kTruncateWeek:
      return day - (std::chrono::weekday(day) - std::chrono::Monday);
    case Function::kTruncateHour:
      return floor<hours>(moment);
    case Function::kTruncateMinute:
      return floor<minutes>(moment);
    default:
      return day;
  }
}

// Longer than the period, shorter than two of it.
microseconds beyond(Function period) {
  switch (period) {
    case Function::kTruncateYear:
      return days(367);
    case Function::kTruncateQuarter:
      return days(93);
    case Function::kTruncateMonth:
      return days(32);
    case Function::kTruncateWeek:
      return days(7);
    case Function::kTruncateHour:
      return hours(1);
    case Function::kTruncateMinute:
      return minutes(1);
    default:
      return days(1);
  }
}

int128 in_steps(Moment moment, const Type& type) {
  const int128 count = moment.time_since_epoch().count();
  return type.kind == TypeKind::kDate ? count / kMicrosecondsADay : count;
}

Facts truncated(Function period, const Expression& argument) {
  const auto span = span_of(argument);
  if (!span) return {};
  const Type& type = argument.type();
  const auto bound = [&](Moment moment) {
    return Rational(static_cast<std::int64_t>(in_steps(moment, type)));
  };
  Facts out{.lower = bound(begin_of(period, span->first)),
            .upper = bound(begin_of(period, span->last))};
  std::vector<Cell> values;
  Moment begin = begin_of(period, span->first);
  for (; begin <= span->last && values.size() < kMostPeriods;
       begin = begin_of(period, begin + beyond(period))) {
    values.emplace_back(in_steps(begin, type));
  }
  if (begin > span->last) out.values = std::move(values);
  return out;
}

Facts years(const Expression& argument) {
  const auto span = span_of(argument);
  if (!span) return {};
  const auto year = [](Moment moment) {
    return Rational(static_cast<int>(year_month_day(floor<days>(moment)).year()));
  };
  return {.lower = year(span->first), .upper = year(span->last)};
}

Facts days_between(const Expression& a, const Expression& b) {
  const auto left = span_of(a);
  const auto right = span_of(b);
  if (!left || !right) return {};
  const auto difference = [](Moment x, Moment y) {
    return Rational(std::int64_t{(floor<days>(x) - floor<days>(y)).count()});
  };
  return {.lower = difference(left->first, right->last),
          .upper = difference(left->last, right->first)};
}

}  // namespace

Facts facts_of_date_call(Function function, std::span<const ExpressionPtr> arguments) {
  if (function == Function::kYear) return years(*arguments[0]);
  if (function == Function::kDaysBetween) return days_between(*arguments[0], *arguments[1]);
  return truncated(function, *arguments[0]);
}

Facts facts_of_date_cast(const Expression& operand, const Type& type) {
  const Facts& facts = operand.facts();
  Facts out;
  const Rational ratio = step_of(operand.type()) / step_of(type);
  if (facts.lower) out.lower = Rational(mpq_class((*facts.lower * ratio).floor()));
  if (facts.upper) out.upper = Rational(mpq_class((*facts.upper * ratio).floor()));
  return out;
}

}  // namespace tacit::sql
