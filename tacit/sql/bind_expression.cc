#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "tacit/sql/binder_internal.h"
#include "tacit/sql/literals_internal.h"

namespace tacit::sql {
namespace {

using Arguments = std::vector<ExpressionPtr>;

// Some functions are made of others and name their arguments twice, so that a short text can grow.
constexpr std::uint64_t kHeaviest = 20'000;

Result<ExpressionPtr> bind_constant(const Json& node, const QueryText& text) {
  auto literal = literal_of(node.at("value"));
  if (literal) return literal;
  return text.refuse(node, "this constant has a type that private SQL does not know",
                     "use a number, text, boolean or date");
}

Result<Arguments> bind_all(const Json& nodes, const Scope& scope, const QueryText& text) {
  Arguments out;
  for (const Json& node : nodes) {
    TACIT_ASSIGN_OR_RETURN(auto bound, bind_expression(node, scope, text));
    out.push_back(std::move(bound));
  }
  return out;
}

// Brings all to their common type, or refuses.
Result<Arguments> unified(Arguments arguments, const Json& node, const QueryText& text) {
  const auto type = common_type(arguments);
  if (!type) {
    std::string kinds;
    for (const auto& argument : arguments) {
      kinds += (kinds.empty() ? "" : ", ") + name(argument->type());
    }
    return text.refuse(node, "these types do not go together: " + kinds, "use CAST");
  }
  for (ExpressionPtr& argument : arguments) {
    argument = coerce(argument, *type);
    if (!argument) {
      return text.refuse(node, "this text cannot be read as a " + name(*type),
                         "dates are written DATE '2026-01-31'");
    }
  }
  return arguments;
}

constexpr std::array<std::pair<std::string_view, Function>, 6> kComparisons{{
    {"COMPARE_EQUAL", Function::kEqual},
    {"COMPARE_NOTEQUAL", Function::kNotEqual},
    {"COMPARE_LESSTHAN", Function::kLess},
    {"COMPARE_LESSTHANOREQUALTO", Function::kLessEqual},
    {"COMPARE_GREATERTHAN", Function::kGreater},
    {"COMPARE_GREATERTHANOREQUALTO", Function::kGreaterEqual},
}};

Result<ExpressionPtr> compare(Function function, ExpressionPtr left, ExpressionPtr right,
                              const Json& node, const QueryText& text) {
  TACIT_ASSIGN_OR_RETURN(auto sides, unified({std::move(left), std::move(right)}, node, text));
  return make_call(function, std::move(sides), kBooleanType);
}

Result<ExpressionPtr> bind_comparison(const Json& node, const Scope& scope, const QueryText& text) {
  const auto* found = std::ranges::find(kComparisons, string_of(node, "type"),
                                        &std::pair<std::string_view, Function>::first);
  if (found == kComparisons.end()) {
    return text.refuse(node, "this comparison is not on the list",
                       "use =, <>, <, <=, > or >= with IS NULL where NULLs matter");
  }
  TACIT_ASSIGN_OR_RETURN(auto left, bind_expression(node.at("left"), scope, text));
  TACIT_ASSIGN_OR_RETURN(auto right, bind_expression(node.at("right"), scope, text));
  return compare(found->second, std::move(left), std::move(right), node, text);
}

Result<ExpressionPtr> bind_between(const Json& node, const Scope& scope, const QueryText& text) {
  TACIT_ASSIGN_OR_RETURN(auto input, bind_expression(node.at("input"), scope, text));
  TACIT_ASSIGN_OR_RETURN(auto lower, bind_expression(node.at("lower"), scope, text));
  TACIT_ASSIGN_OR_RETURN(auto upper, bind_expression(node.at("upper"), scope, text));
  TACIT_ASSIGN_OR_RETURN(auto above,
                         compare(Function::kGreaterEqual, input, std::move(lower), node, text));
  TACIT_ASSIGN_OR_RETURN(
      auto below, compare(Function::kLessEqual, std::move(input), std::move(upper), node, text));
  return make_call(Function::kAnd, {std::move(above), std::move(below)}, kBooleanType);
}

Result<ExpressionPtr> bind_conjunction(const Json& node, const Scope& scope,
                                       const QueryText& text) {
  Arguments parts;
  for (const Json& child : node.at("children")) {
    TACIT_ASSIGN_OR_RETURN(auto bound, bind_condition(child, scope, text));
    parts.push_back(std::move(bound));
  }
  const bool is_and = string_of(node, "type") == "CONJUNCTION_AND";
  return make_call(is_and ? Function::kAnd : Function::kOr, std::move(parts), kBooleanType);
}

Result<ExpressionPtr> bind_in(Arguments arguments, bool negated, const Json& node,
                              const QueryText& text) {
  TACIT_ASSIGN_OR_RETURN(arguments, unified(std::move(arguments), node, text));
  auto in = make_call(Function::kIn, std::move(arguments), kBooleanType);
  return negated ? make_call(Function::kNot, {std::move(in)}, kBooleanType) : in;
}

Result<ExpressionPtr> bind_operator(const Json& node, const Scope& scope, const QueryText& text) {
  const std::string type = string_of(node, "type");
  if (type == "OPERATOR_NOT") {
    TACIT_ASSIGN_OR_RETURN(auto operand, bind_condition(node.at("children").at(0), scope, text));
    return make_call(Function::kNot, {std::move(operand)}, kBooleanType);
  }
  TACIT_ASSIGN_OR_RETURN(auto arguments, bind_all(node.at("children"), scope, text));
  if (type == "OPERATOR_IS_NULL" || type == "OPERATOR_IS_NOT_NULL") {
    return make_call(type == "OPERATOR_IS_NULL" ? Function::kIsNull : Function::kIsNotNull,
                     std::move(arguments), kBooleanType);
  }
  if (type == "COMPARE_IN" || type == "COMPARE_NOT_IN") {
    return bind_in(std::move(arguments), type == "COMPARE_NOT_IN", node, text);
  }
  if (type == "OPERATOR_COALESCE") {
    TACIT_ASSIGN_OR_RETURN(arguments, unified(std::move(arguments), node, text));
    const Type common = arguments.front()->type();
    return make_call(Function::kCoalesce, std::move(arguments), common);
  }
  return text.refuse(node, "this operator is not on the list", "docs/sql.md has the list");
}

Result<ExpressionPtr> bind_case(const Json& node, const Scope& scope, const QueryText& text) {
  Arguments conditions;
  Arguments values;
  for (const Json& check : node.at("case_checks")) {
    TACIT_ASSIGN_OR_RETURN(auto condition, bind_condition(check.at("when_expr"), scope, text));
    TACIT_ASSIGN_OR_RETURN(auto value, bind_expression(check.at("then_expr"), scope, text));
    conditions.push_back(std::move(condition));
    values.push_back(std::move(value));
  }
  TACIT_ASSIGN_OR_RETURN(auto otherwise, bind_expression(node.at("else_expr"), scope, text));
  values.push_back(std::move(otherwise));
  TACIT_ASSIGN_OR_RETURN(values, unified(std::move(values), node, text));
  Case parts{.otherwise = values.back()};
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    parts.branches.emplace_back(std::move(conditions[i]), values[i]);
  }
  const Type type = values.back()->type();
  return make_case(std::move(parts), type);
}

Result<ExpressionPtr> bind_cast(const Json& node, const Scope& scope, const QueryText& text) {
  const auto type = type_of(node.at("cast_type"));
  if (!type) {
    return text.refuse(node, "private SQL has no such type",
                       "use boolean, integer, decimal(p,s), real, text, date or timestamp");
  }
  TACIT_ASSIGN_OR_RETURN(auto operand, bind_expression(node.at("child"), scope, text));
  auto cast = coerce(operand, *type);
  if (cast) return cast;
  return text.refuse(node,
                     fmt::format("a {} cannot be made a {}", name(operand->type()), name(*type)),
                     "docs/sql.md has the list of casts");
}

Result<ExpressionPtr> bind_call(const Json& node, const Scope& scope, const QueryText& text) {
  if (is_aggregate(node)) {
    return text.refuse(node, "an aggregate cannot stand here",
                       "aggregates go into SELECT, HAVING or ORDER BY of a grouped query");
  }
  if (auto shifted = bind_date_shift(node, scope, text)) return *std::move(shifted);
  TACIT_ASSIGN_OR_RETURN(auto arguments, bind_all(node.at("children"), scope, text));
  return bind_function(node, std::move(arguments), text);
}

std::unexpected<Error> refuse_class(const std::string& kind, const Json& node,
                                    const QueryText& text) {
  if (kind == "WINDOW") {
    return text.refuse(node, "a window function over private rows",
                       "aggregate per unit in a subquery (GROUP BY the unit), or use windows over "
                       "released columns in an outer SELECT");
  }
  if (kind == "SUBQUERY") {
    return text.refuse(node, "a subquery cannot stand here",
                       "IN and EXISTS may stand in WHERE, joined by AND; a join does the rest");
  }
  if (kind == "STAR") {
    return text.refuse(node, "SELECT * would release rows as they are", "ask for aggregates");
  }
  if (kind == "PARAMETER") {
    return text.refuse(node, "a query has no parameters", "write the value itself");
  }
  return text.refuse(node, "this kind of expression is not on the list",
                     "docs/sql.md has the list");
}

Result<ExpressionPtr> bind_any(const Json& node, const Scope& scope, const QueryText& text) {
  const std::string kind = string_of(node, "class");
  if (kind == "COLUMN_REF") {
    TACIT_ASSIGN_OR_RETURN(const std::size_t column, scope.find(node, text));
    return scope.column(column);
  }
  if (kind == "CONSTANT") return bind_constant(node, text);
  if (kind == "COMPARISON") return bind_comparison(node, scope, text);
  if (kind == "BETWEEN") return bind_between(node, scope, text);
  if (kind == "CONJUNCTION") return bind_conjunction(node, scope, text);
  if (kind == "OPERATOR") return bind_operator(node, scope, text);
  if (kind == "CASE") return bind_case(node, scope, text);
  if (kind == "CAST") return bind_cast(node, scope, text);
  if (kind == "FUNCTION") return bind_call(node, scope, text);
  return refuse_class(kind, node, text);
}

}  // namespace

Result<ExpressionPtr> bind_expression(const Json& node, const Scope& scope, const QueryText& text) {
  TACIT_ASSIGN_OR_RETURN(auto bound, bind_any(node, scope, text));
  if (bound->weight() <= kHeaviest) return bound;
  return text.refuse(node, "this expression is too deep",
                     "nest fewer functions, or compute in steps over released columns");
}

Result<ExpressionPtr> bind_condition(const Json& node, const Scope& scope, const QueryText& text) {
  TACIT_ASSIGN_OR_RETURN(auto condition, bind_expression(node, scope, text));
  if (condition->type().kind == TypeKind::kBoolean) return condition;
  if (auto literal = coerce(condition, kBooleanType);
      literal && std::holds_alternative<Literal>(condition->node())) {
    return literal;
  }
  return text.refuse(node,
                     "a condition must be true or false, this is a " + name(condition->type()),
                     "compare it with something");
}

}  // namespace tacit::sql
