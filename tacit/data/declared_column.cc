#include <fmt/format.h>

#include <optional>
#include <utility>

#include "tacit/data/calendar_internal.h"
#include "tacit/data/declared_column_internal.h"

namespace tacit {
namespace {

constexpr std::size_t kDateLength = std::string_view("2020-02-29").size();

// The number as an integer of the type's last place; nothing where it has more places or digits.
std::optional<Cell> exact_cell(const Rational& value, const Type& type) {
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, type.scale);
  const mpq_class scaled = value.mpq() * power;
  if (scaled.get_den() != 1) return std::nullopt;
  mpz_class limit;
  mpz_ui_pow_ui(limit.get_mpz_t(), 10, type.precision);
  const mpz_class& number = scaled.get_num();
  const bool fits =
      type.kind == TypeKind::kInteger ? number.fits_slong_p() : mpz_class(abs(number)) < limit;
  if (!fits) return std::nullopt;
  int128 result = 0;
  for (const char digit : mpz_class(abs(number)).get_str()) result = result * 10 + (digit - '0');
  return Cell(sgn(number) < 0 ? -result : result);
}

std::optional<Cell> number_cell(const Rational& value, const Type& type) {
  if (type.is_exact_number()) return exact_cell(value, type);
  if (type.kind == TypeKind::kReal) return Cell(value.approximate());
  return std::nullopt;
}

std::optional<Cell> text_cell(const std::string& value, const Type& type) {
  const auto moment = type.kind == TypeKind::kDate        ? parse_date(value)
                      : type.kind == TypeKind::kTimestamp ? parse_timestamp(value)
                                                          : std::nullopt;
  if (moment) return Cell(*moment);
  if (type.kind == TypeKind::kText) return Cell(value);
  return std::nullopt;
}

std::optional<Cell> to_cell(const DeclaredValue& value, const Type& type) {
  if (const auto* const number = std::get_if<Rational>(&value)) return number_cell(*number, type);
  if (const auto* const text = std::get_if<std::string>(&value)) return text_cell(*text, type);
  if (type.kind == TypeKind::kBoolean) return Cell(std::get<bool>(value));
  return std::nullopt;
}

// An end of the range, in days or microseconds for dates and timestamps; empty where it is none of
// the type.
std::optional<Rational> to_bound(const DeclaredBound& bound, const Type& type) {
  if (const auto* const number = std::get_if<Rational>(&bound)) {
    return type.is_number() ? std::optional(*number) : std::nullopt;
  }
  std::string text = std::get<std::string>(bound);
  if (type.kind == TypeKind::kTimestamp && text.size() == kDateLength) text += " 00:00:00";
  const auto cell = type.kind == TypeKind::kText ? std::nullopt : text_cell(text, type);
  if (!cell) return std::nullopt;
  return Rational(static_cast<std::int64_t>(std::get<int128>(*cell)));
}

}  // namespace

Result<Column> to_column(const DeclaredColumn& declared, const std::string& table) {
  const std::string place = fmt::format("{} {}", table, declared.name);
  const auto type = parse_type(declared.type);
  if (!type) return bad_input(type.error().what, place, type.error().remedy);
  Column column{.name = declared.name, .type = *type, .nulls = declared.nulls};
  for (const auto& [from, to] :
       {std::pair(&declared.min, &column.lower), std::pair(&declared.max, &column.upper)}) {
    if (!*from) continue;
    *to = to_bound(**from, *type);
    if (!*to) {
      return bad_input(
          fmt::format("'min' and 'max' must be of the column's type, and this is {}", name(*type)),
          place, "write numbers for numbers, 2020-02-29 for dates; other types have no range");
    }
  }
  for (const DeclaredValue& value : declared.values) {
    auto cell = to_cell(value, *type);
    if (!cell) {
      return bad_input(fmt::format("one of its values is not of the type {}", name(*type)), place,
                       "write texts in quotes, numbers without, dates as \"2020-02-29\"");
    }
    column.values.push_back(*std::move(cell));
  }
  return column;
}

}  // namespace tacit
