// The list of functions: which names mean what, and on which types.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "tacit/sql/facts_internal.h"
#include "tacit/sql/literals_internal.h"

namespace tacit::sql {
namespace {

using Arguments = std::vector<ExpressionPtr>;
using Bound = std::optional<ExpressionPtr>;  // empty: the arguments do not fit

constexpr int kWidestDecimal = 38;
// Of a decimal that fits 64 bits.
constexpr int kWordDigits = 18;

template <class Value, std::size_t n>
const Value* find(const std::array<std::pair<std::string_view, Value>, n>& table,
                  std::string_view name) {
  const auto* found = std::ranges::find(table, name, &std::pair<std::string_view, Value>::first);
  return found == table.end() ? nullptr : &found->second;
}

bool is_time(const Expression& expression) {
  return expression.type().kind == TypeKind::kDate ||
         expression.type().kind == TypeKind::kTimestamp;
}

// The arguments as that type, or empty.
std::optional<Arguments> all_as(Arguments arguments, const Type& type) {
  for (ExpressionPtr& argument : arguments) {
    argument = coerce(argument, type);
    if (!argument) return std::nullopt;
  }
  return arguments;
}

Bound call_as(Function function, Arguments arguments, const Type& type, const Type& result) {
  auto fitted = all_as(std::move(arguments), type);
  if (!fitted) return std::nullopt;
  return make_call(function, *std::move(fitted), result);
}

// Signature: what the arguments are cast to, how many there are, what comes out.
struct Signature {
  Function function;
  Type argument;
  std::size_t least;
  std::size_t most;
  Type result;
};

constexpr std::size_t kAny = 64;

constexpr std::array<std::pair<std::string_view, Signature>, 24> kPlain{{
    {"sqrt", {Function::kSqrt, kRealType, 1, 1, kRealType}},
    {"ln", {Function::kLn, kRealType, 1, 1, kRealType}},
    {"exp", {Function::kExp, kRealType, 1, 1, kRealType}},
    {"pow", {Function::kPower, kRealType, 2, 2, kRealType}},
    {"power", {Function::kPower, kRealType, 2, 2, kRealType}},
    {"/", {Function::kDivide, kRealType, 2, 2, kRealType}},
    {"//", {Function::kIntegerDivide, kIntegerType, 2, 2, kIntegerType}},
    {"%", {Function::kModulo, kIntegerType, 2, 2, kIntegerType}},
    {"mod", {Function::kModulo, kIntegerType, 2, 2, kIntegerType}},
    {"lower", {Function::kLower, kTextType, 1, 1, kTextType}},
    {"lcase", {Function::kLower, kTextType, 1, 1, kTextType}},
    {"upper", {Function::kUpper, kTextType, 1, 1, kTextType}},
    {"ucase", {Function::kUpper, kTextType, 1, 1, kTextType}},
    {"length", {Function::kLength, kTextType, 1, 1, kIntegerType}},
    {"char_length", {Function::kLength, kTextType, 1, 1, kIntegerType}},
    {"concat", {Function::kConcat, kTextType, 1, kAny, kTextType}},
    {"trim", {Function::kTrim, kTextType, 1, 1, kTextType}},
    {"replace", {Function::kReplace, kTextType, 3, 3, kTextType}},
    {"starts_with", {Function::kStartsWith, kTextType, 2, 2, kBooleanType}},
    {"prefix", {Function::kStartsWith, kTextType, 2, 2, kBooleanType}},
    {"ends_with", {Function::kEndsWith, kTextType, 2, 2, kBooleanType}},
    {"suffix", {Function::kEndsWith, kTextType, 2, 2, kBooleanType}},
    {"contains", {Function::kContains, kTextType, 2, 2, kBooleanType}},
    {"datediff_days", {Function::kDaysBetween, kDateType, 2, 2, kIntegerType}},
}};

constexpr std::array<std::pair<std::string_view, Function>, 16> kDateParts{{
    {"year", Function::kYear},
    {"quarter", Function::kQuarter},
    {"month", Function::kMonth},
    {"day", Function::kDay},
    {"dayofmonth", Function::kDay},
    {"dow", Function::kDayOfWeek},
    {"dayofweek", Function::kDayOfWeek},
    {"weekday", Function::kDayOfWeek},
    {"doy", Function::kDayOfYear},
    {"dayofyear", Function::kDayOfYear},
    {"hour", Function::kHour},
    {"hours", Function::kHour},
    {"minute", Function::kMinute},
    {"minutes", Function::kMinute},
    {"second", Function::kSecond},
    {"seconds", Function::kSecond},
}};

constexpr std::array<std::pair<std::string_view, Function>, 7> kTruncations{{
    {"year", Function::kTruncateYear},
    {"quarter", Function::kTruncateQuarter},
    {"month", Function::kTruncateMonth},
    {"week", Function::kTruncateWeek},
    {"day", Function::kTruncateDay},
    {"hour", Function::kTruncateHour},
    {"minute", Function::kTruncateMinute},
}};

// Those whose result differs from run to run, by session or by place.
constexpr std::array<std::string_view, 18> kChanging{"random",
                                                     "uuid",
                                                     "gen_random_uuid",
                                                     "uuidv4",
                                                     "uuidv7",
                                                     "now",
                                                     "today",
                                                     "get_current_time",
                                                     "get_current_timestamp",
                                                     "current_localtimestamp",
                                                     "current_localtime",
                                                     "transaction_timestamp",
                                                     "nextval",
                                                     "currval",
                                                     "setseed",
                                                     "current_setting",
                                                     "current_database",
                                                     "txid_current"};

// The arguments of date_part('month', t) and its like.
struct WordAndTime {
  std::string word;
  ExpressionPtr time;
};

std::optional<WordAndTime> word_and_time(const Arguments& arguments) {
  if (arguments.size() != 2) return std::nullopt;
  const auto* literal = std::get_if<Literal>(&arguments[0]->node());
  const auto* text = literal == nullptr ? nullptr : std::get_if<std::string>(&literal->value);
  if (text == nullptr || !is_time(*arguments[1])) return std::nullopt;
  return WordAndTime{lower_name(*text), arguments[1]};
}

Bound date_part(const Arguments& arguments) {
  const auto asked = word_and_time(arguments);
  if (!asked) return std::nullopt;
  const Function* part = find(kDateParts, asked->word);
  if (part == nullptr) return std::nullopt;
  return make_call(*part, {asked->time}, kIntegerType);
}

Bound date_trunc(const Arguments& arguments) {
  const auto asked = word_and_time(arguments);
  if (!asked) return std::nullopt;
  const Function* period = find(kTruncations, asked->word);
  if (period == nullptr) return std::nullopt;
  return make_call(*period, {asked->time}, asked->time->type());
}

// Every value in the known range has at most so many digits before the point.
bool fits_digits(const Facts& facts, int whole_digits) {
  if (!facts.lower || !facts.upper) return false;
  Rational limit(1);
  for (int i = 0; i < whole_digits; ++i) limit = limit * Rational(10);
  return *facts.lower > -limit && *facts.upper < limit;
}

std::optional<Type> decimal_type(int precision, int scale) {
  if (precision > kWidestDecimal) return std::nullopt;
  return Type{TypeKind::kDecimal, static_cast<std::uint8_t>(precision),
              static_cast<std::uint8_t>(scale)};
}

// Of exact numbers; empty where the digits do not fit. Where the declared ranges say that a word is
// enough, a word it is: engines multiply words several times faster. A row outside its range whose
// result has no room there is NULL, as everywhere.
std::optional<Type> exact_result(Function function, const Arguments& arguments) {
  const Type& a = arguments[0]->type();
  const Type& b = arguments[1]->type();
  if (a.kind == TypeKind::kInteger && b.kind == TypeKind::kInteger) return kIntegerType;
  const int left = a.kind == TypeKind::kInteger ? 19 : a.precision;
  const int right = b.kind == TypeKind::kInteger ? 19 : b.precision;
  const bool multiplies = function == Function::kMultiply;
  const int scale = multiplies ? a.scale + b.scale : std::max(a.scale, b.scale);
  const int digits =
      multiplies ? left + right : std::max(left - a.scale, right - b.scale) + scale + 1;
  const bool narrow =
      digits > kWordDigits && scale <= kWordDigits &&
      fits_digits(facts_of_call(function, arguments, kRealType), kWordDigits - scale);
  return decimal_type(narrow ? kWordDigits : digits, scale);
}

// A small whole constant beside a decimal is that decimal's width no wider than its digits.
ExpressionPtr narrowed(const ExpressionPtr& expression) {
  const auto* literal = std::get_if<Literal>(&expression->node());
  if (literal == nullptr || expression->type().kind != TypeKind::kInteger) return expression;
  const auto* value = std::get_if<int128>(&literal->value);
  if (value == nullptr) return expression;
  std::uint8_t digits = 1;
  for (int128 rest = *value / 10; rest != 0; rest /= 10) ++digits;
  return make_literal(*value, Type{TypeKind::kDecimal, digits, 0});
}

// The sum, difference or product of two whole constants, where it is one.
ExpressionPtr folded(Function function, const Arguments& arguments) {
  std::array<int128, 2> values{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto* literal = std::get_if<Literal>(&arguments[i]->node());
    const auto* value = literal == nullptr ? nullptr : std::get_if<int128>(&literal->value);
    if (value == nullptr || arguments[i]->type().kind != TypeKind::kInteger) return nullptr;
    values[i] = *value;
  }
  const auto [a, b] = values;
  const int128 result = function == Function::kMultiply ? a * b
                        : function == Function::kAdd    ? a + b
                                                        : a - b;
  if (result < INT64_MIN || result > INT64_MAX) return nullptr;
  return make_literal(Cell(result), kIntegerType);
}

Bound arithmetic(Function function, Arguments arguments) {
  if (arguments.size() != 2) return std::nullopt;
  if (auto constant = folded(function, arguments)) return constant;
  if (!arguments[0]->type().is_number() || !arguments[1]->type().is_number()) return std::nullopt;
  if (arguments[0]->type().kind == TypeKind::kDecimal) arguments[1] = narrowed(arguments[1]);
  if (arguments[1]->type().kind == TypeKind::kDecimal) arguments[0] = narrowed(arguments[0]);
  if (arguments[0]->type().is_exact_number() && arguments[1]->type().is_exact_number()) {
    const auto result = exact_result(function, arguments);
    if (result) return make_call(function, std::move(arguments), *result);
  }
  return call_as(function, std::move(arguments), kRealType, kRealType);
}

Bound add_or_subtract(bool add, Arguments arguments) {
  if (arguments.size() == 1 && arguments[0]->type().is_number()) {
    if (add) return arguments[0];
    const Type type = arguments[0]->type();
    return make_call(Function::kNegate, std::move(arguments), type);
  }
  if (arguments.size() == 2 && is_time(*arguments[0])) {
    if (!add && arguments[1]->type().kind == TypeKind::kDate &&
        arguments[0]->type().kind == TypeKind::kDate) {
      return make_call(Function::kDaysBetween, std::move(arguments), kIntegerType);
    }
    if (arguments[1]->type().kind != TypeKind::kInteger) return std::nullopt;
    const Type type = arguments[0]->type();
    auto days = add ? arguments[1] : make_call(Function::kNegate, {arguments[1]}, kIntegerType);
    return make_call(Function::kAddDays, {arguments[0], std::move(days)}, type);
  }
  return arithmetic(add ? Function::kAdd : Function::kSubtract, std::move(arguments));
}

Bound same_type_choice(Function function, Arguments arguments) {
  if (arguments.empty()) return std::nullopt;
  const auto common = common_type(arguments);
  if (!common) return std::nullopt;
  return call_as(function, std::move(arguments), *common, *common);
}

Bound substring(Arguments arguments) {
  if (arguments.size() < 2 || arguments.size() > 3) return std::nullopt;
  if (arguments.size() == 2) {
    arguments.push_back(make_literal(Cell(int128{INT32_MAX}), kIntegerType));
  }
  arguments[0] = coerce(arguments[0], kTextType);
  arguments[1] = coerce(arguments[1], kIntegerType);
  arguments[2] = coerce(arguments[2], kIntegerType);
  if (!std::ranges::all_of(arguments, [](const auto& a) { return a != nullptr; })) {
    return std::nullopt;
  }
  return make_call(Function::kSubstring, std::move(arguments), kTextType);
}

Bound left_of(Arguments arguments) {
  if (arguments.size() != 2) return std::nullopt;
  return substring(
      {arguments[0], make_literal(Cell(int128{1}), kIntegerType), std::move(arguments[1])});
}

Bound to_integer(Function function, Arguments arguments) {
  if (arguments.size() != 1 || !arguments[0]->type().is_number()) return std::nullopt;
  if (arguments[0]->type().kind == TypeKind::kInteger) return arguments[0];
  return make_call(function, std::move(arguments), kIntegerType);
}

Bound sign_preserving(Function function, Arguments arguments, bool to_sign) {
  if (arguments.size() != 1 || !arguments[0]->type().is_number()) return std::nullopt;
  const Type type = to_sign ? kIntegerType : arguments[0]->type();
  return make_call(function, std::move(arguments), type);
}

Bound width_bucket(Arguments arguments) {
  if (arguments.size() != 4) return std::nullopt;
  auto buckets = coerce(arguments[3], kIntegerType);
  arguments.pop_back();
  auto reals = all_as(std::move(arguments), kRealType);
  if (!reals || !buckets) return std::nullopt;
  reals->push_back(std::move(buckets));
  return make_call(Function::kWidthBucket, *std::move(reals), kIntegerType);
}

// A pattern must be known when the query is bound: one that ends in a lone backslash is an error in
// some engines.
bool is_pattern(const Expression& expression) {
  const auto* literal = std::get_if<Literal>(&expression.node());
  const auto* text = literal == nullptr ? nullptr : std::get_if<std::string>(&literal->value);
  if (text == nullptr) return false;
  for (std::size_t i = 0; i < text->size(); ++i) {
    if ((*text)[i] != '\\') continue;
    const char next = i + 1 < text->size() ? (*text)[i + 1] : ' ';
    if (next != '%' && next != '_' && next != '\\') return false;
    ++i;
  }
  return true;
}

Bound like(Arguments arguments) {
  if (arguments.size() != 2 || !is_pattern(*arguments[1])) return std::nullopt;
  return call_as(Function::kLike, std::move(arguments), kTextType, kBooleanType);
}

Bound by_name(const std::string& name, Arguments arguments) {
  if (name == "+") return add_or_subtract(true, std::move(arguments));
  if (name == "-") return add_or_subtract(false, std::move(arguments));
  if (name == "*") return arithmetic(Function::kMultiply, std::move(arguments));
  if (name == "||") {
    // The operator gives NULL for a NULL; the function concat does not.
    if (arguments.size() != 2) return std::nullopt;
    auto joined = call_as(Function::kConcat, arguments, kTextType, kTextType);
    if (!joined) return std::nullopt;
    auto any_null = make_call(Function::kOr,
                              {make_call(Function::kIsNull, {arguments[0]}, kBooleanType),
                               make_call(Function::kIsNull, {arguments[1]}, kBooleanType)},
                              kBooleanType);
    Case parts{.otherwise = *std::move(joined)};
    parts.branches.emplace_back(std::move(any_null), make_literal(Cell(), kTextType));
    return make_case(std::move(parts), kTextType);
  }
  if (name == "!~~" || name == "not_like") {
    auto matches = like(std::move(arguments));
    if (!matches) return std::nullopt;
    return make_call(Function::kNot, {*std::move(matches)}, kBooleanType);
  }
  if (name == "~~" || name == "like") return like(std::move(arguments));
  if (name == "least") return same_type_choice(Function::kLeast, std::move(arguments));
  if (name == "greatest") return same_type_choice(Function::kGreatest, std::move(arguments));
  if (name == "nullif") {
    return arguments.size() == 2 ? same_type_choice(Function::kNullIf, std::move(arguments))
                                 : std::nullopt;
  }
  if (name == "ifnull") return same_type_choice(Function::kCoalesce, std::move(arguments));
  if (name == "substring" || name == "substr") return substring(std::move(arguments));
  if (name == "left") return left_of(std::move(arguments));
  if (name == "date_part" || name == "datepart") return date_part(arguments);
  if (name == "date_trunc" || name == "datetrunc") return date_trunc(arguments);
  if (name == "floor") return to_integer(Function::kFloor, std::move(arguments));
  if (name == "ceil" || name == "ceiling") return to_integer(Function::kCeil, std::move(arguments));
  if (name == "round") return to_integer(Function::kRound, std::move(arguments));
  if (name == "abs" || name == "@") {
    return sign_preserving(Function::kAbs, std::move(arguments), false);
  }
  if (name == "sign") return sign_preserving(Function::kSign, std::move(arguments), true);
  if (name == "width_bucket") return width_bucket(std::move(arguments));
  if (const Function* part = find(kDateParts, name); part != nullptr) {
    if (arguments.size() != 1 || !is_time(*arguments[0])) return std::nullopt;
    return make_call(*part, std::move(arguments), kIntegerType);
  }
  const Signature* plain = find(kPlain, name);
  if (plain == nullptr || arguments.size() < plain->least || arguments.size() > plain->most) {
    return std::nullopt;
  }
  return call_as(plain->function, std::move(arguments), plain->argument, plain->result);
}

bool on_the_list(const std::string& name) {
  static constexpr std::array<std::string_view, 26> kOthers{
      "+",     "-",         "*",        "||",         "!~~",       "not_like",
      "least", "greatest",  "nullif",   "ifnull",     "substring", "substr",
      "left",  "date_part", "datepart", "date_trunc", "datetrunc", "floor",
      "ceil",  "ceiling",   "round",    "abs",        "sign",      "width_bucket",
      "~~",    "like"};
  return std::ranges::find(kOthers, name) != kOthers.end() || find(kDateParts, name) != nullptr ||
         find(kPlain, name) != nullptr;
}

}  // namespace

Result<ExpressionPtr> bind_function(const Json& node, Arguments arguments, const QueryText& text) {
  const std::string name = lower_name(string_of(node, "function_name"));
  if (std::ranges::find(kChanging, name) != kChanging.end()) {
    return text.refuse(node, name + " changes from one run to the next", "write the value itself");
  }
  std::string types;
  for (const auto& argument : arguments) {
    types += (types.empty() ? "" : ", ") + tacit::name(argument->type());
  }
  if (auto bound = by_name(name, std::move(arguments))) return *std::move(bound);
  if (name == "~~" || name == "!~~" || name == "like" || name == "not_like") {
    return text.refuse(node,
                       fmt::format("LIKE of ({}): it takes a text and a constant pattern", types),
                       R"(write the pattern in quotes; in it \ stands before %, _ or \ alone)");
  }
  if (on_the_list(name)) {
    return text.refuse(node, fmt::format("{} does not take ({})", name, types),
                       "docs/sql.md has the list; CAST may help");
  }
  return text.refuse(node, fmt::format("the function {} is not on the list", name),
                     "private rows see only functions that are the same and never fail in every "
                     "engine; docs/sql.md has the list");
}

}  // namespace tacit::sql
