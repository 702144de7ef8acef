#include "tacit/sql/region.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "tacit/sql/emit.h"
#include "tacit/sql/plan.h"
#include "tacit/sql/value_set_internal.h"

namespace tacit::sql {

// A set that an expression lies in.
struct UnitConstraint {
  ExpressionPtr value;
  ValueSet admitted;
};

namespace {

// Expressions that grow beyond this when they are traced back are left out.
constexpr std::uint64_t kMostWeight = 4096;

ExpressionPtr reference(std::size_t column, const Type& type) {
  return std::make_shared<const Expression>(type, Facts{}, ColumnReference{column});
}

// A relation traced back to what each unit has one row of: the anchor.
struct Origin {
  std::string anchor;
  // The relation's columns as expressions over those of the anchor; empty where they are none.
  std::vector<ExpressionPtr> columns;
  // What holds of the anchor's row of every unit that has rows in the relation.
  std::vector<ExpressionPtr> conditions;
};

// Empty where a column of it does not come from the anchor.
ExpressionPtr traced(const ExpressionPtr& expression, const std::vector<ExpressionPtr>& columns) {
  if (expression->weight() > kMostWeight) return nullptr;
  std::uint64_t weight = expression->weight();
  for (const std::size_t column : columns_of(*expression)) {
    if (!columns[column]) return nullptr;
    weight += columns[column]->weight();
    if (weight > kMostWeight) return nullptr;
  }
  return substitute(expression, columns);
}

void add_conditions(Origin& origin, const std::vector<ExpressionPtr>& conditions) {
  for (const ExpressionPtr& condition : conditions) {
    if (auto known = traced(condition, origin.columns)) {
      origin.conditions.push_back(std::move(known));
    }
  }
}

Origin projected(Origin origin, const std::vector<ExpressionPtr>& expressions) {
  std::vector<ExpressionPtr> columns;
  for (const ExpressionPtr& expression : expressions) {
    columns.push_back(traced(expression, origin.columns));
  }
  origin.columns = std::move(columns);
  return origin;
}

// The anchor is the relation itself.
Origin itself(std::string anchor, const Relation& relation) {
  Origin out{.anchor = std::move(anchor)};
  for (std::size_t i = 0; i < relation.columns().size(); ++i) {
    out.columns.push_back(reference(i, relation.columns()[i].type));
  }
  return out;
}

// Of the left side of a join that keeps it: what stands beside is not known.
std::optional<Origin> kept(std::optional<Origin> left, const Relation& relation) {
  if (left) left->columns.resize(relation.columns().size());
  return left;
}

// The anchor is the name of the unit: its k-th column is the unit's k-th.
struct ByName {
  const Relation& relation;

  [[nodiscard]] Origin nothing_but_the_unit() const {
    Origin out{.anchor = "unit"};
    out.columns.resize(relation.columns().size());
    const auto& unit = relation.unit();
    for (std::size_t k = 0; k < unit.size(); ++k) {
      const Type& type = relation.columns()[unit[k]].type;
      out.anchor += " " + name(type);
      out.columns[unit[k]] = reference(k, type);
    }
    return out;
  }

  static std::optional<Origin> of(const Relation& relation) {
    if (!relation.is_private()) return std::nullopt;
    return std::visit(ByName{relation}, relation.node());
  }

  std::optional<Origin> operator()(const Scan& node) const {
    if (node.numbered) return std::nullopt;
    return nothing_but_the_unit();
  }
  std::optional<Origin> operator()(const Product& node) const {
    std::optional<Origin> out;
    std::vector<ExpressionPtr> columns;
    std::vector<ExpressionPtr> conditions;
    for (const RelationPtr& input : node.inputs) {
      auto origin = of(*input);
      if (input->is_private() && !origin) return std::nullopt;
      if (!origin) origin.emplace();
      origin->columns.resize(input->columns().size());
      std::ranges::copy(origin->columns, std::back_inserter(columns));
      std::ranges::copy(origin->conditions, std::back_inserter(conditions));
      if (!out && input->is_private()) out = std::move(origin);
    }
    if (!out) return std::nullopt;
    out->columns = std::move(columns);
    out->conditions = std::move(conditions);
    add_conditions(*out, node.conditions);
    return out;
  }
  std::optional<Origin> operator()(const Project& node) const {
    auto input = of(*node.input);
    if (!input) return std::nullopt;
    return projected(*std::move(input), node.columns);
  }
  std::optional<Origin> operator()(const LeftJoin& node) const {
    return kept(of(*node.left), relation);
  }
  std::optional<Origin> operator()(const SemiJoin& node) const {
    return kept(of(*node.left), relation);
  }
  std::optional<Origin> operator()(const UnionAll& node) const {
    const bool named = std::ranges::all_of(
        node.inputs, [](const RelationPtr& input) { return of(*input).has_value(); });
    return named ? std::optional(nothing_but_the_unit()) : std::nullopt;
  }
  std::optional<Origin> operator()(const UnitGroup& node) const {
    auto input = of(*node.input);
    if (!input) return std::nullopt;
    return kept(projected(*std::move(input), node.keys), relation);
  }
};

// The anchor is a relation in which each unit has one row at most.
struct ByRow {
  const Relation& relation;

  static std::optional<Origin> of(const Relation& relation) {
    if (!relation.is_private()) return std::nullopt;
    return std::visit(ByRow{relation}, relation.node());
  }

  std::optional<Origin> operator()(const Scan& node) const {
    if (!node.numbered) return std::nullopt;
    return itself("row of " + node.table->name, relation);
  }
  std::optional<Origin> operator()(const Product& node) const {
    std::optional<Origin> out;
    std::size_t offset = 0;
    for (const RelationPtr& input : node.inputs) {
      if (!out) {
        out = of(*input);
        if (out) out->columns.insert(out->columns.begin(), offset, nullptr);
      }
      offset += input->columns().size();
    }
    if (!out) return std::nullopt;
    out->columns.resize(offset);
    add_conditions(*out, node.conditions);
    return out;
  }
  std::optional<Origin> operator()(const Project& node) const {
    auto input = of(*node.input);
    if (!input) return std::nullopt;
    return projected(*std::move(input), node.columns);
  }
  std::optional<Origin> operator()(const LeftJoin& node) const {
    return kept(of(*node.left), relation);
  }
  std::optional<Origin> operator()(const SemiJoin& node) const {
    return kept(of(*node.left), relation);
  }
  std::optional<Origin> operator()(const UnionAll&) const { return std::nullopt; }
  std::optional<Origin> operator()(const UnitGroup&) const {
    if (!one_row_a_unit(relation)) return std::nullopt;
    Emitter emitter(duckdb_dialect());
    const FlatSelect flat = emitter.flatten(relation);
    const std::string text = emitter.select(flat, flat.columns);
    if (emitter.too_long()) return std::nullopt;
    return itself("group of " + text, relation);
  }
};

// Literals that can be compared exactly: a real one must be a number.
const Cell* exact_literal(const Expression& expression) {
  const auto* literal = std::get_if<Literal>(&expression.node());
  if (literal == nullptr || is_null(literal->value)) return nullptr;
  const bool real = expression.type().kind == TypeKind::kReal;
  return real && !as_rational(literal->value, expression.type()) ? nullptr : &literal->value;
}

Function mirrored(Function comparison) {
  switch (comparison) {
    case Function::kLess:
      return Function::kGreater;
    case Function::kLessEqual:
      return Function::kGreaterEqual;
    case Function::kGreater:
      return Function::kLess;
    case Function::kGreaterEqual:
      return Function::kLessEqual;
    default:
      return comparison;
  }
}

void add_comparison(Function comparison, const ExpressionPtr& value, const Expression& bound,
                    std::vector<UnitConstraint>& out) {
  const Cell* const literal = exact_literal(bound);
  if (literal == nullptr) return;
  if (comparison == Function::kEqual) {
    out.push_back({value, ValueSet::of({*literal})});
  } else if (auto range = ValueSet::range(comparison, *literal, bound.type())) {
    out.push_back({value, *std::move(range)});
  }
}

void add_list(const Call& in, std::vector<UnitConstraint>& out) {
  std::set<Cell> values;
  for (std::size_t i = 1; i < in.arguments.size(); ++i) {
    const Cell* const value = exact_literal(*in.arguments[i]);
    if (value == nullptr) return;
    values.insert(*value);
  }
  out.push_back({in.arguments.front(), ValueSet::of(std::move(values))});
}

// What `call` being true says of its arguments.
void add_call(const Call& call, std::vector<UnitConstraint>& out) {
  switch (call.function) {
    case Function::kEqual:
    case Function::kLess:
    case Function::kLessEqual:
    case Function::kGreater:
    case Function::kGreaterEqual:
      add_comparison(call.function, call.arguments[0], *call.arguments[1], out);
      add_comparison(mirrored(call.function), call.arguments[1], *call.arguments[0], out);
      return;
    case Function::kIn:
      add_list(call, out);
      return;
    case Function::kIsNull:
      out.push_back({call.arguments.front(), ValueSet::null()});
      return;
    case Function::kIsNotNull:
      out.push_back({call.arguments.front(), ValueSet::not_null()});
      return;
    default:
      return;
  }
}

// What `condition` being true says.
void add_constraints(const ExpressionPtr& condition, std::vector<UnitConstraint>& out) {
  const auto* const call = std::get_if<Call>(&condition->node());
  if (call != nullptr && call->function == Function::kAnd) {
    for (const ExpressionPtr& part : call->arguments) add_constraints(part, out);
    return;
  }
  if (call != nullptr && call->function == Function::kNot) {
    out.push_back({call->arguments.front(), ValueSet::of({Cell(false)})});
    return;
  }
  if (call != nullptr && call->function == Function::kNotEqual) {
    out.push_back(
        {make_call(Function::kEqual, call->arguments, kBooleanType), ValueSet::of({Cell(false)})});
    return;
  }
  out.push_back({condition, ValueSet::of({Cell(true)})});
  if (call != nullptr) add_call(*call, out);
}

}  // namespace

Region::View Region::view(std::string anchor, const std::vector<ExpressionPtr>& conditions) {
  std::vector<UnitConstraint> constraints;
  for (const ExpressionPtr& condition : conditions) add_constraints(condition, constraints);
  return {std::move(anchor),
          std::make_shared<const std::vector<UnitConstraint>>(std::move(constraints))};
}

Region Region::of(const Relation& relation) {
  Region out;
  if (auto origin = ByName::of(relation)) {
    out.by_name_ = view(std::move(origin->anchor), origin->conditions);
  }
  if (auto origin = ByRow::of(relation)) {
    out.by_row_ = view(std::move(origin->anchor), origin->conditions);
  }
  return out;
}

bool Region::View::apart_from(const View& other) const {
  if (anchor.empty() || anchor != other.anchor) return false;
  return std::ranges::any_of(*constraints, [&](const UnitConstraint& a) {
    return std::ranges::any_of(*other.constraints, [&](const UnitConstraint& b) {
      return same(*a.value, *b.value) && a.admitted.disjoint_from(b.admitted, a.value->type());
    });
  });
}

bool Region::apart_by_name(const Region& other) const {
  return by_name_.apart_from(other.by_name_);
}

bool Region::apart_from(const Region& other) const {
  return apart_by_name(other) || by_row_.apart_from(other.by_row_);
}

}  // namespace tacit::sql
