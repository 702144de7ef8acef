#include "tacit/sql/row_value_internal.h"

#include <utility>

namespace tacit::sql {
namespace {

// A decimal of more digits could overflow the sum of very many rows.
constexpr int kSummableDigits = 26;

// The value brought into its declared range; NULL stays NULL.
ExpressionPtr in_range(const ExpressionPtr& value) {
  const Facts& facts = value->facts();
  Type type = value->type();
  if (type.kind == TypeKind::kDecimal) type.precision = 38;
  Case parts{.otherwise = value};
  const auto bound = [&](Function beyond, const std::optional<Rational>& end) {
    if (!end) return;
    const auto nearest = number_literal(*end, type);
    parts.branches.emplace_back(make_call(beyond, {value, nearest}, kBooleanType), nearest);
  };
  bound(Function::kGreater, facts.upper);
  bound(Function::kLess, facts.lower);
  if (parts.branches.empty()) return value;
  return make_case(std::move(parts), value->type());
}

}  // namespace

ExpressionPtr number_literal(const Rational& value, const Type& type) {
  Rational scaled = value;
  for (int i = 0; i < type.scale; ++i) scaled = scaled * Rational(10);
  if (type.kind == TypeKind::kReal) return make_literal(Cell(value.approximate()), type);
  return make_literal(Cell(int128{scaled.floor().get_si()}), type);
}

ExpressionPtr summable(const Expression& argument, const ExpressionPtr& value,
                       const Rational& step) {
  if (argument.type().kind != TypeKind::kReal) {
    return argument.type().precision > kSummableDigits ? in_range(value) : value;
  }
  const auto inverse = number_literal(Rational(1) / step, kRealType);
  const auto scaled = make_call(Function::kMultiply, {in_range(value), inverse}, kRealType);
  const auto shifted =
      make_call(Function::kAdd, {scaled, make_literal(Cell(0.5), kRealType)}, kRealType);
  return make_call(Function::kFloor, {shifted}, kIntegerType);
}

ExpressionPtr squared_offset(const Measure& measure) {
  const ExpressionPtr& argument = measure.argument;
  ExpressionPtr steps;
  if (argument->type().kind == TypeKind::kReal) {
    steps = summable(*argument, argument, measure.argument_step);
  } else {
    std::int64_t inverse = 1;
    for (int i = 0; i < argument->type().scale; ++i) inverse *= 10;
    const Type wide{TypeKind::kDecimal, 38, argument->type().scale};
    steps = make_cast(
        make_call(Function::kMultiply,
                  {in_range(argument), make_literal(Cell(int128{inverse}), kIntegerType)}, wide),
        kIntegerType);
  }
  const auto centre = make_literal(Cell(int128{measure.centre}), kIntegerType);
  const auto offset = make_call(Function::kSubtract, {steps, centre}, kIntegerType);
  return make_call(Function::kMultiply, {offset, offset}, kIntegerType);
}

ExpressionPtr grid_point(const QuantileMeasure& measure) {
  const Grid grid = measure.clamp.grid();
  if (measure.argument->type().kind == TypeKind::kInteger && grid.exponent() == 0) {
    return in_range(measure.argument);
  }
  const ExpressionPtr real = measure.argument->type().kind == TypeKind::kReal
                                 ? measure.argument
                                 : make_cast(measure.argument, kRealType);
  return summable(*real, real, grid.step());
}

}  // namespace tacit::sql
