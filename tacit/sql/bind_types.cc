// How types go together.

#include <algorithm>

#include "tacit/sql/literals_internal.h"

namespace tacit::sql {
namespace {

constexpr int kWidestDecimal = 38;

bool is_null_literal(const Expression& expression) {
  const auto* literal = std::get_if<Literal>(&expression.node());
  return literal != nullptr && is_null(literal->value);
}

bool is_text_literal(const Expression& expression) {
  return expression.type().kind == TypeKind::kText &&
         std::holds_alternative<Literal>(expression.node());
}

// An integer has up to 19 digits.
Type as_decimal(const Type& type) {
  return type.kind == TypeKind::kInteger ? Type{TypeKind::kDecimal, 19, 0} : type;
}

std::optional<Type> common_type_of_two(const Type& a, const Type& b) {
  if (a == b) return a;
  if (a.is_number() && b.is_number()) {
    if (a.kind == TypeKind::kReal || b.kind == TypeKind::kReal) return kRealType;
    const Type left = as_decimal(a);
    const Type right = as_decimal(b);
    const int scale = std::max(left.scale, right.scale);
    const int whole = std::max(left.precision - left.scale, right.precision - right.scale);
    if (whole + scale > kWidestDecimal) return kRealType;
    return Type{TypeKind::kDecimal, static_cast<std::uint8_t>(whole + scale),
                static_cast<std::uint8_t>(scale)};
  }
  const auto is_time = [](const Type& type) {
    return type.kind == TypeKind::kDate || type.kind == TypeKind::kTimestamp;
  };
  if (is_time(a) && is_time(b)) return kTimestampType;
  return std::nullopt;
}

bool can_cast(const Type& from, const Type& to) {
  if (from.is_number() && to.is_number()) return true;
  switch (to.kind) {
    case TypeKind::kText:
      return from.kind == TypeKind::kInteger || from.kind == TypeKind::kDate;
    case TypeKind::kDate:
      return from.kind == TypeKind::kText || from.kind == TypeKind::kTimestamp;
    case TypeKind::kTimestamp:
      return from.kind == TypeKind::kText || from.kind == TypeKind::kDate;
    case TypeKind::kInteger:
      return from.kind == TypeKind::kText || from.kind == TypeKind::kBoolean;
    case TypeKind::kDecimal:
    case TypeKind::kReal:
      return from.kind == TypeKind::kText;
    case TypeKind::kBoolean:
      return false;
  }
  return false;
}

// A whole constant beside decimals is as wide as its digits, so that `price < 24` compares prices
// as they are stored.
Type type_beside_decimals(const Expression& expression) {
  const auto* literal = std::get_if<Literal>(&expression.node());
  const auto* value = literal == nullptr ? nullptr : std::get_if<int128>(&literal->value);
  if (value == nullptr || expression.type().kind != TypeKind::kInteger) return expression.type();
  std::uint8_t digits = 1;
  for (int128 rest = *value / 10; rest != 0; rest /= 10) ++digits;
  return {TypeKind::kDecimal, digits, 0};
}

ExpressionPtr coerce_number(const Literal& literal, const Type& from, const Type& to) {
  const auto value = as_rational(literal.value, from);
  if (!value) return nullptr;
  auto cell = parse_literal(value->to_string(), to);
  return cell ? make_literal(*std::move(cell), to) : nullptr;
}

ExpressionPtr coerce_literal(const Literal& literal, const Type& from, const Type& to) {
  if (is_null(literal.value)) return make_literal(Cell(), to);
  if (const auto* text = std::get_if<std::string>(&literal.value)) {
    auto cell = parse_literal(*text, to);
    return cell ? make_literal(*std::move(cell), to) : nullptr;
  }
  if (from.is_number() && to.is_number()) return coerce_number(literal, from, to);
  return nullptr;
}

}  // namespace

ExpressionPtr coerce(const ExpressionPtr& expression, const Type& type) {
  if (expression->type() == type) return expression;
  if (const auto* literal = std::get_if<Literal>(&expression->node())) {
    if (auto value = coerce_literal(*literal, expression->type(), type)) return value;
    if (expression->type().kind == TypeKind::kText) return nullptr;
  }
  return can_cast(expression->type(), type) ? make_cast(expression, type) : nullptr;
}

std::optional<Type> common_type(const std::vector<ExpressionPtr>& expressions) {
  const bool any_decimal = std::ranges::any_of(expressions, [](const ExpressionPtr& expression) {
    return expression->type().kind == TypeKind::kDecimal;
  });
  std::optional<Type> common;
  for (const ExpressionPtr& expression : expressions) {
    if (is_null_literal(*expression) || is_text_literal(*expression)) continue;
    const Type type = any_decimal ? type_beside_decimals(*expression) : expression->type();
    common = common ? common_type_of_two(*common, type) : type;
    if (!common) return std::nullopt;
  }
  if (common) return common;
  const bool any_text =
      std::ranges::any_of(expressions, [](const ExpressionPtr& e) { return is_text_literal(*e); });
  return any_text || !expressions.empty() ? std::optional(kTextType) : std::nullopt;
}

}  // namespace tacit::sql
