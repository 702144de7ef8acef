#include "tacit/data/type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace tacit {
namespace {

constexpr std::uint8_t kLargestPrecision = 38;

constexpr std::array<std::pair<std::string_view, Type>, 24> kNames = {{
    {"boolean", kBooleanType},
    {"bool", kBooleanType},
    {"integer", kIntegerType},
    {"int", kIntegerType},
    {"bigint", kIntegerType},
    {"smallint", kIntegerType},
    {"tinyint", kIntegerType},
    {"int8", kIntegerType},
    {"int4", kIntegerType},
    {"int2", kIntegerType},
    {"utinyint", kIntegerType},
    {"usmallint", kIntegerType},
    {"uinteger", kIntegerType},
    {"real", kRealType},
    {"float", kRealType},
    {"double", kRealType},
    {"double precision", kRealType},
    {"text", kTextType},
    {"varchar", kTextType},
    {"string", kTextType},
    {"date", kDateType},
    {"timestamp", kTimestampType},
    {"datetime", kTimestampType},
    {"timestamp without time zone", kTimestampType},
}};

std::string lowered(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

// Takes a number of at most three digits, and the blanks around it, from the front of the text.
bool take_number(std::string_view& text, unsigned& value) {
  const auto skip_blanks = [&text] {
    while (text.starts_with(' ')) text.remove_prefix(1);
  };
  skip_blanks();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end - text.data() > 3) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  skip_blanks();
  return true;
}

// "(15,2)" or "(15)".
Result<Type> parse_decimal(std::string_view whole, std::string_view arguments) {
  unsigned precision = 0;
  unsigned scale = 0;
  bool is_read = arguments.starts_with('(') && arguments.ends_with(')');
  if (is_read) {
    arguments.remove_prefix(1);
    arguments.remove_suffix(1);
    is_read = take_number(arguments, precision);
    if (is_read && arguments.starts_with(',')) {
      arguments.remove_prefix(1);
      is_read = take_number(arguments, scale);
    }
    is_read = is_read && arguments.empty();
  }
  if (!is_read || precision < 1 || precision > kLargestPrecision || scale > precision) {
    return bad_input(fmt::format("'{}' is not a decimal type", whole), {},
                     "write the digits in all (1 to 38) and those after the point: decimal(15,2)");
  }
  return Type{TypeKind::kDecimal, static_cast<std::uint8_t>(precision),
              static_cast<std::uint8_t>(scale)};
}

}  // namespace

std::string name(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBoolean:
      return "boolean";
    case TypeKind::kInteger:
      return "integer";
    case TypeKind::kDecimal:
      return fmt::format("decimal({},{})", type.precision, type.scale);
    case TypeKind::kReal:
      return "real";
    case TypeKind::kText:
      return "text";
    case TypeKind::kDate:
      return "date";
    case TypeKind::kTimestamp:
      return "timestamp";
  }
  std::unreachable();
}

Result<Type> parse_type(std::string_view text) {
  const std::string lower = lowered(text);
  for (const std::string_view decimal : {"decimal", "numeric"}) {
    if (lower.starts_with(decimal)) {
      return parse_decimal(lower, std::string_view(lower).substr(decimal.size()));
    }
  }
  const auto* const found =
      std::ranges::find(kNames, lower, [](const auto& each) { return each.first; });
  if (found != kNames.end()) return found->second;
  return bad_input(fmt::format("'{}' is not a type", text.substr(0, 64)), {},
                   "the types are boolean, integer, decimal(P,S), real, text, date and timestamp");
}

}  // namespace tacit
