#include <algorithm>
#include <array>
#include <limits>

#include "tacit/sql/facts_internal.h"

namespace tacit::sql {
namespace {

using Bound = std::optional<Rational>;

// More values than this are not listed.
constexpr std::size_t kMostValues = 4096;

Bound least(const Bound& a, const Bound& b) {
  if (!a || !b) return std::nullopt;
  return std::min(*a, *b);
}
Bound greatest(const Bound& a, const Bound& b) {
  if (!a || !b) return std::nullopt;
  return std::max(*a, *b);
}

Facts range(Bound lower, Bound upper) {
  return {.lower = std::move(lower), .upper = std::move(upper)};
}

// All integers from first to last.
Facts integers(std::int64_t first, std::int64_t last) {
  Facts facts = range(Rational(first), Rational(last));
  std::vector<Cell> values;
  for (std::int64_t value = first; value <= last; ++value) values.emplace_back(int128{value});
  facts.values = std::move(values);
  return facts;
}

Facts sum(const Facts& a, const Facts& b) {
  Facts out;
  if (a.lower && b.lower) out.lower = *a.lower + *b.lower;
  if (a.upper && b.upper) out.upper = *a.upper + *b.upper;
  return out;
}

Facts negated(const Facts& a) {
  Facts out;
  if (a.upper) out.lower = -*a.upper;
  if (a.lower) out.upper = -*a.lower;
  return out;
}

Facts product(const Facts& a, const Facts& b) {
  if (!a.lower || !a.upper || !b.lower || !b.upper) return {};
  const std::array corners{*a.lower * *b.lower, *a.lower * *b.upper, *a.upper * *b.lower,
                           *a.upper * *b.upper};
  return range(std::ranges::min(corners), std::ranges::max(corners));
}

Facts quotient(const Facts& a, const Facts& b) {
  if (!b.lower || !b.upper) return {};
  if (*b.lower <= Rational(0) && *b.upper >= Rational(0)) return {};
  return product(a, range(Rational(1) / *b.upper, Rational(1) / *b.lower));
}

Facts absolute(const Facts& a) {
  const Facts other = negated(a);
  Facts out;
  out.upper = greatest(a.upper, other.upper);
  out.lower = Rational(0);
  if (a.lower && *a.lower > Rational(0)) out.lower = a.lower;
  if (a.upper && *a.upper < Rational(0)) out.lower = -*a.upper;
  return out;
}

Facts modulo(const Facts& a, const Facts& b) {
  const Facts size = absolute(b);
  if (!size.upper || *size.upper < Rational(1)) return {};
  const Rational most = *size.upper - Rational(1);
  return range(a.lower && *a.lower >= Rational(0) ? Rational(0) : -most, most);
}

// LEAST and GREATEST: a bound of one argument bounds the value on that side.
Facts extreme(std::span<const ExpressionPtr> arguments, bool least_of) {
  Facts out = arguments.front()->facts();
  for (const ExpressionPtr& argument : arguments.subspan(1)) {
    const Facts& other = argument->facts();
    Bound& tight = least_of ? out.upper : out.lower;
    Bound& loose = least_of ? out.lower : out.upper;
    const Bound& other_tight = least_of ? other.upper : other.lower;
    const Bound& other_loose = least_of ? other.lower : other.upper;
    if (!tight) {
      tight = other_tight;
    } else if (other_tight) {
      tight = least_of ? std::min(*tight, *other_tight) : std::max(*tight, *other_tight);
    }
    loose = least_of ? least(loose, other_loose) : greatest(loose, other_loose);
  }
  out.values.reset();
  out.public_column.reset();
  return out;
}

Facts width_bucket(std::span<const ExpressionPtr> arguments) {
  const auto* count = std::get_if<Literal>(&arguments[3]->node());
  const auto* number = count == nullptr ? nullptr : std::get_if<int128>(&count->value);
  if (number == nullptr || *number < 1 || *number > static_cast<int128>(kMostValues)) return {};
  return integers(0, static_cast<std::int64_t>(*number) + 1);
}

// The range under a function that grows with its argument.
template <class Whole>
Facts mapped(const Facts& a, const Whole& whole) {
  Facts out;
  if (a.lower) out.lower = Rational(mpq_class(whole(*a.lower)));
  if (a.upper) out.upper = Rational(mpq_class(whole(*a.upper)));
  return out;
}

Facts booleans() { return {.values = std::vector<Cell>{Cell(false), Cell(true)}}; }

}  // namespace

// Ties may go either way.
Facts rounded_facts(const Facts& facts, int places) {
  Rational unit(1);
  for (int i = 0; i < places; ++i) unit = unit / Rational(10);
  const Rational half = Rational(1) / Rational(2);
  Facts out;
  if (facts.lower) {
    out.lower = Rational(mpq_class((*facts.lower / unit - half).ceil())) * unit;
  }
  if (facts.upper) {
    out.upper = Rational(mpq_class((*facts.upper / unit + half).floor())) * unit;
  }
  return out;
}

Facts facts_of_choice(std::span<const ExpressionPtr> choices) {
  Facts out;
  bool first = true;
  std::optional<std::vector<Cell>> values = std::vector<Cell>{};
  for (const ExpressionPtr& choice : choices) {
    const auto* literal = std::get_if<Literal>(&choice->node());
    if (literal != nullptr && is_null(literal->value)) continue;
    const Facts& facts = choice->facts();
    out.nulls = out.nulls || facts.nulls;
    if (first) {
      out.lower = facts.lower;
      out.upper = facts.upper;
      first = false;
    } else {
      out.lower = least(out.lower, facts.lower);
      out.upper = greatest(out.upper, facts.upper);
    }
    if (!facts.values || !values || values->size() + facts.values->size() > kMostValues) {
      values.reset();
      continue;
    }
    for (const Cell& value : *facts.values) {
      if (std::ranges::find(*values, value) == values->end()) values->push_back(value);
    }
  }
  if (values && !values->empty()) out.values = std::move(values);
  return out;
}

namespace {

Facts facts_without_nulls(Function function, std::span<const ExpressionPtr> arguments,
                          const Type& type) {
  const auto facts = [&](std::size_t i) -> const Facts& { return arguments[i]->facts(); };
  switch (function) {
    case Function::kCoalesce:
      return facts_of_choice(arguments);
    case Function::kNullIf:
      return facts_of_choice(arguments.first(1));
    case Function::kLeast:
      return extreme(arguments, true);
    case Function::kGreatest:
      return extreme(arguments, false);
    case Function::kAdd:
      return sum(facts(0), facts(1));
    case Function::kSubtract:
      return sum(facts(0), negated(facts(1)));
    case Function::kMultiply:
      return product(facts(0), facts(1));
    case Function::kDivide:
      return quotient(facts(0), facts(1));
    case Function::kModulo:
      return modulo(facts(0), facts(1));
    case Function::kNegate:
      return negated(facts(0));
    case Function::kAbs:
      return absolute(facts(0));
    case Function::kSign:
      return integers(-1, 1);
    case Function::kFloor:
      return mapped(facts(0), [](const Rational& x) { return x.floor(); });
    case Function::kCeil:
      return mapped(facts(0), [](const Rational& x) { return x.ceil(); });
    case Function::kRound:
      return rounded_facts(facts(0), 0);
    case Function::kWidthBucket:
      return width_bucket(arguments);
    case Function::kLength:
      return range(Rational(0), std::nullopt);
    case Function::kYear:
    case Function::kDaysBetween:
    case Function::kTruncateYear:
    case Function::kTruncateQuarter:
    case Function::kTruncateMonth:
    case Function::kTruncateWeek:
    case Function::kTruncateDay:
    case Function::kTruncateHour:
    case Function::kTruncateMinute:
      return facts_of_date_call(function, arguments);
    case Function::kQuarter:
      return integers(1, 4);
    case Function::kMonth:
      return integers(1, 12);
    case Function::kDay:
      return integers(1, 31);
    case Function::kDayOfWeek:
      return integers(0, 6);
    case Function::kDayOfYear:
      return integers(1, 366);
    case Function::kHour:
      return integers(0, 23);
    case Function::kMinute:
    case Function::kSecond:
      return integers(0, 59);
    default:
      return type.kind == TypeKind::kBoolean ? booleans() : Facts{};
  }
}

// Whether NULLs that are expected of arguments are expected of the value.
bool passes_nulls(Function function, std::span<const ExpressionPtr> arguments) {
  const auto has_nulls = [](const ExpressionPtr& argument) { return argument->facts().nulls; };
  switch (function) {
    case Function::kIsNull:
    case Function::kIsNotNull:
    case Function::kConcat:
      return false;
    case Function::kCoalesce:
    case Function::kLeast:
    case Function::kGreatest:
      return std::ranges::all_of(arguments, has_nulls);
    default:
      return std::ranges::any_of(arguments, has_nulls);
  }
}

}  // namespace

Facts facts_of_call(Function function, std::span<const ExpressionPtr> arguments, const Type& type) {
  Facts out = facts_without_nulls(function, arguments, type);
  out.nulls = passes_nulls(function, arguments);
  return out;
}

}  // namespace tacit::sql
