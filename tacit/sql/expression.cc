#include "tacit/sql/expression.h"

#include <algorithm>

#include "tacit/sql/facts_internal.h"

namespace tacit::sql {
namespace {

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};

Rational exact(int128 value) {
  const bool negative = value < 0;
  const uint128 magnitude = negative ? -static_cast<uint128>(value) : static_cast<uint128>(value);
  mpz_class out(static_cast<unsigned long>(magnitude >> 64U));
  out = (out << 64U) + mpz_class(static_cast<unsigned long>(magnitude));
  return Rational(mpq_class(negative ? mpz_class(-out) : out));
}

bool same_optional(const ExpressionPtr& a, const ExpressionPtr& b) {
  return a == b || (a && b && same(*a, *b));
}

bool same_all(const std::vector<ExpressionPtr>& a, const std::vector<ExpressionPtr>& b) {
  return std::ranges::equal(a, b, same_optional);
}

bool same_node(const Call& a, const Call& b) {
  return a.function == b.function && same_all(a.arguments, b.arguments);
}
bool same_node(const Case& a, const Case& b) {
  return same_optional(a.otherwise, b.otherwise) &&
         std::ranges::equal(a.branches, b.branches, [](const auto& x, const auto& y) {
           return same_optional(x.first, y.first) && same_optional(x.second, y.second);
         });
}
bool same_node(const Cast& a, const Cast& b) { return same_optional(a.operand, b.operand); }
bool same_node(const ColumnReference& a, const ColumnReference& b) { return a == b; }
bool same_node(const Literal& a, const Literal& b) { return a == b; }

void collect(const Expression& expression, std::vector<std::size_t>& out) {
  std::visit(Overloaded{
                 [&](const ColumnReference& reference) { out.push_back(reference.column); },
                 [](const Literal&) {},
                 [&](const Call& call) {
                   for (const auto& argument : call.arguments) collect(*argument, out);
                 },
                 [&](const Case& parts) {
                   for (const auto& [condition, value] : parts.branches) {
                     collect(*condition, out);
                     collect(*value, out);
                   }
                   if (parts.otherwise) collect(*parts.otherwise, out);
                 },
                 [&](const Cast& cast) { collect(*cast.operand, out); },
             },
             expression.node());
}

constexpr std::uint64_t kMostWeight = std::uint64_t{1} << 62U;

std::uint64_t weight_of(const Expression::Node& node) {
  std::uint64_t sum = 1;
  const auto add = [&](const ExpressionPtr& part) {
    if (part) sum = std::min(kMostWeight, sum + part->weight());
  };
  std::visit(Overloaded{
                 [](const ColumnReference&) {},
                 [](const Literal&) {},
                 [&](const Call& call) { std::ranges::for_each(call.arguments, add); },
                 [&](const Case& parts) {
                   for (const auto& [condition, value] : parts.branches) {
                     add(condition);
                     add(value);
                   }
                   add(parts.otherwise);
                 },
                 [&](const Cast& cast) { add(cast.operand); },
             },
             node);
  return sum;
}

}  // namespace

Expression::Expression(Type type, Facts facts, Node node)
    : type_(type), facts_(std::move(facts)), node_(std::move(node)), weight_(weight_of(node_)) {}

bool same(const Expression& a, const Expression& b) {
  if (a.type() != b.type() || a.node().index() != b.node().index()) return false;
  return std::visit(
      [&](const auto& left) {
        return same_node(left, std::get<std::decay_t<decltype(left)>>(b.node()));
      },
      a.node());
}

bool same(const ExpressionPtr& a, const ExpressionPtr& b) {
  return a == b || (a && b && same(*a, *b));
}

std::optional<std::size_t> as_column(const Expression& expression) {
  const auto* reference = std::get_if<ColumnReference>(&expression.node());
  return reference == nullptr ? std::nullopt : std::optional(reference->column);
}

std::vector<std::size_t> columns_of(const Expression& expression) {
  std::vector<std::size_t> out;
  collect(expression, out);
  return out;
}

ExpressionPtr substitute(const ExpressionPtr& expression,
                         const std::vector<ExpressionPtr>& replacements) {
  if (!expression) return nullptr;
  const auto inside = [&](const ExpressionPtr& part) { return substitute(part, replacements); };
  return std::visit(
      Overloaded{
          [&](const ColumnReference& reference) { return replacements[reference.column]; },
          [&](const Literal&) { return expression; },
          [&](const Call& call) {
            std::vector<ExpressionPtr> arguments;
            std::ranges::transform(call.arguments, std::back_inserter(arguments), inside);
            return make_call(call.function, std::move(arguments), expression->type());
          },
          [&](const Case& parts) {
            Case out{.otherwise = inside(parts.otherwise)};
            for (const auto& [condition, value] : parts.branches) {
              out.branches.emplace_back(inside(condition), inside(value));
            }
            return make_case(std::move(out), expression->type());
          },
          [&](const Cast& cast) { return make_cast(inside(cast.operand), expression->type()); },
      },
      expression->node());
}

std::optional<Rational> as_rational(const Cell& value, const Type& type) {
  if (const auto* integer = std::get_if<int128>(&value)) {
    Rational out = exact(*integer);
    for (int i = 0; i < type.scale; ++i) out = out / Rational(10);
    return out;
  }
  if (const auto* real = std::get_if<double>(&value)) {
    if (const auto found = Rational::exactly(*real)) return *found;
  }
  return std::nullopt;
}

ExpressionPtr make_literal(Cell value, Type type) {
  Facts facts;
  facts.lower = facts.upper = as_rational(value, type);
  if (!is_null(value)) facts.values = std::vector<Cell>{value};
  return std::make_shared<const Expression>(type, std::move(facts), Literal{std::move(value)});
}

ExpressionPtr make_call(Function function, std::vector<ExpressionPtr> arguments, Type type) {
  Facts facts = facts_of_call(function, arguments, type);
  return std::make_shared<const Expression>(type, std::move(facts),
                                            Call{function, std::move(arguments)});
}

ExpressionPtr make_case(Case parts, Type type) {
  std::vector<ExpressionPtr> choices;
  for (const auto& branch : parts.branches) choices.push_back(branch.second);
  if (parts.otherwise) choices.push_back(parts.otherwise);
  Facts facts = facts_of_choice(choices);
  return std::make_shared<const Expression>(type, std::move(facts), std::move(parts));
}

ExpressionPtr make_cast(ExpressionPtr operand, Type type) {
  Facts facts;
  const auto is_moment = [](const Type& one) {
    return one.kind == TypeKind::kDate || one.kind == TypeKind::kTimestamp;
  };
  if (operand->type().is_number() && type.is_exact_number()) {
    facts = rounded_facts(operand->facts(), type.scale);
  } else if (operand->type().is_number() && type.is_number()) {
    facts.lower = operand->facts().lower;
    facts.upper = operand->facts().upper;
  } else if (is_moment(operand->type()) && is_moment(type)) {
    facts = facts_of_date_cast(*operand, type);
  }
  facts.nulls = operand->facts().nulls;
  if (const auto* literal = std::get_if<Literal>(&operand->node());
      literal != nullptr && is_null(literal->value)) {
    return make_literal(Cell(), type);
  }
  return std::make_shared<const Expression>(type, std::move(facts), Cast{std::move(operand)});
}

}  // namespace tacit::sql
