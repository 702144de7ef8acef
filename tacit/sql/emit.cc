#include "tacit/sql/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tacit::sql {
namespace {

std::string with_filter(const std::string& filter, const std::string& value) {
  return filter.empty() ? value : fmt::format("CASE WHEN {} THEN {} END", filter, value);
}

// A computed column of a longer text becomes one of a subselect, so that what names it several
// times does not repeat it: text would double at every level, and so would the engine's work.
constexpr std::size_t kRepeatedText = 256;

// PostgreSQL puts the text of a subselect's columns back wherever they are named, unless it has an
// OFFSET; the others compute them once.
std::string_view kept_apart(const Dialect& dialect) {
  return dialect.name() == postgres_dialect().name() ? " OFFSET 0" : "";
}

// Every column is one of a table, so that it is NULL where an outer join finds no row.
bool computes_nothing(const Relation& relation) {
  if (const auto* product = std::get_if<Product>(&relation.node())) {
    return std::ranges::all_of(product->inputs,
                               [](const RelationPtr& input) { return computes_nothing(*input); });
  }
  return !std::holds_alternative<Project>(relation.node());
}

}  // namespace

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string where_clause(const std::vector<std::string>& conditions) {
  return conditions.empty() ? "" : " WHERE " + join(conditions, " AND ");
}

std::string Emitter::fresh_alias() { return fmt::format("t{}", next_alias_++); }

FlatSelect Emitter::flatten(const Relation& relation) {
  return std::visit([&](const auto& node) { return flatten_node(relation, node); },
                    relation.node());
}

std::string Emitter::select(const FlatSelect& flat, const std::vector<std::string>& columns) {
  std::vector<std::string> named;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    named.push_back(fmt::format("{} AS c{}", columns[i], i));
  }
  return fmt::format("SELECT {} FROM {}{}", join(named, ", "), flat.from, where_clause(flat.where));
}

FlatSelect Emitter::derived(const std::string& select, std::size_t columns) {
  const std::string alias = fresh_alias();
  FlatSelect out{.from = fmt::format("({}) AS {}", select, alias)};
  for (std::size_t i = 0; i < columns; ++i) out.columns.push_back(fmt::format("{}.c{}", alias, i));
  return out;
}

std::string Emitter::expression(const Expression& expression,
                                const std::vector<std::string>& columns) {
  if (too_long_) return "NULL";
  std::string text = any_expression(expression, columns);
  if (text.size() <= kLongestText) return text;
  too_long_ = true;
  return "NULL";
}

std::string Emitter::any_expression(const Expression& expression,
                                    const std::vector<std::string>& columns) {
  const auto inside = [&](const ExpressionPtr& part) { return this->expression(*part, columns); };
  if (const auto* reference = std::get_if<ColumnReference>(&expression.node())) {
    return columns[reference->column];
  }
  if (const auto* literal = std::get_if<Literal>(&expression.node())) {
    return dialect_.literal(literal->value, expression.type());
  }
  if (const auto* cast = std::get_if<Cast>(&expression.node())) {
    return dialect_.cast(inside(cast->operand), cast->operand->type(), expression.type());
  }
  if (const auto* parts = std::get_if<Case>(&expression.node())) {
    std::string out = "CASE";
    for (const auto& [condition, value] : parts->branches) {
      out += fmt::format(" WHEN {} THEN {}", inside(condition), inside(value));
    }
    if (parts->otherwise) out += " ELSE " + inside(parts->otherwise);
    return out + " END";
  }
  const auto& call = std::get<Call>(expression.node());
  std::vector<std::string> arguments;
  std::vector<Type> types;
  for (const ExpressionPtr& argument : call.arguments) {
    arguments.push_back(inside(argument));
    types.push_back(argument->type());
  }
  return dialect_.call(call.function, arguments, types, expression.type());
}

FlatSelect Emitter::flatten_node(const Relation& /*relation*/, const Scan& node) {
  const std::string alias = fresh_alias();
  FlatSelect out{.from = fmt::format("{} AS {}", node.table->source, alias)};
  const bool numbered = node.numbered && numbers_ == Numbers::kWritten;
  if (numbered) {
    // Numbered below, so that conditions above do not change which rows there are to number.
    const std::string inner = fresh_alias();
    out.from = fmt::format("(SELECT *, {} AS tacit_row FROM {} AS {}) AS {}", dialect_.row_number(),
                           node.table->source, inner, alias);
  }
  for (const Column& column : node.table->columns) {
    out.columns.push_back(fmt::format("{}.{}", alias, dialect_.identifier(column.name)));
  }
  if (node.numbered) out.columns.push_back(numbered ? alias + ".tacit_row" : "NULL");
  return out;
}

FlatSelect Emitter::flatten_node(const Relation& /*relation*/, const Product& node) {
  FlatSelect out;
  std::vector<std::string> sources;
  for (const RelationPtr& input : node.inputs) {
    FlatSelect flat = flatten(*input);
    sources.push_back(std::move(flat.from));
    std::ranges::move(flat.where, std::back_inserter(out.where));
    std::ranges::move(flat.columns, std::back_inserter(out.columns));
  }
  out.from = join(sources, " CROSS JOIN ");
  for (const ExpressionPtr& condition : node.conditions) {
    out.where.push_back(expression(*condition, out.columns));
  }
  return out;
}

FlatSelect Emitter::flatten_node(const Relation& /*relation*/, const Project& node) {
  FlatSelect flat = flatten(*node.input);
  std::vector<std::string> columns;
  for (const ExpressionPtr& column : node.columns) {
    columns.push_back(expression(*column, flat.columns));
  }
  const bool any_long = std::ranges::any_of(
      columns, [](const std::string& text) { return text.size() > kRepeatedText; });
  if (any_long) {
    return derived(fmt::format("{}{}", select(flat, columns), kept_apart(dialect_)),
                   columns.size());
  }
  flat.columns = std::move(columns);
  return flat;
}

FlatSelect Emitter::flatten_node(const Relation& /*relation*/, const LeftJoin& node) {
  const auto side = [&](const Relation& relation) {
    FlatSelect flat = flatten(relation);
    const bool is_table = flat.where.empty() && flat.from.find(" JOIN ") == std::string::npos;
    if (is_table && computes_nothing(relation)) return flat;
    const std::size_t columns = flat.columns.size();
    return derived(select(flat, flat.columns), columns);
  };
  FlatSelect out = side(*node.left);
  FlatSelect right = side(*node.right);
  std::ranges::move(right.columns, std::back_inserter(out.columns));
  out.from = fmt::format("{} LEFT JOIN {} ON {}", out.from, right.from,
                         expression(*node.condition, out.columns));
  // What was computed on the right must be computed there, where a missing row is not NULLs yet.
  const std::size_t columns = out.columns.size();
  return derived(select(out, out.columns), columns);
}

FlatSelect Emitter::flatten_node(const Relation& /*relation*/, const SemiJoin& node) {
  FlatSelect out = flatten(*node.left);
  FlatSelect right = flatten(*node.right);
  std::vector<std::string> columns = out.columns;
  columns.insert(columns.end(), right.columns.begin(), right.columns.end());
  right.where.push_back(expression(*node.condition, columns));
  out.where.push_back(fmt::format("{}EXISTS (SELECT 1 FROM {}{})", node.anti ? "NOT " : "",
                                  right.from, where_clause(right.where)));
  return out;
}

FlatSelect Emitter::flatten_node(const Relation& relation, const UnionAll& node) {
  std::vector<std::string> sides;
  for (const RelationPtr& input : node.inputs) {
    const FlatSelect flat = flatten(*input);
    sides.push_back(select(flat, flat.columns));
  }
  return derived(join(sides, " UNION ALL "), relation.columns().size());
}

std::string Emitter::plain_aggregate(const UnitGroup::Aggregate& aggregate,
                                     const std::vector<std::string>& columns) {
  const std::string filter = aggregate.filter ? expression(*aggregate.filter, columns) : "";
  const std::string value =
      with_filter(filter, aggregate.argument ? expression(*aggregate.argument, columns) : "1");
  switch (aggregate.function) {
    case PlainAggregate::kCountRows:
      return filter.empty() ? "count(*)" : fmt::format("count({})", value);
    case PlainAggregate::kCount:
      return fmt::format("count({})", value);
    case PlainAggregate::kCountDistinct:
      return fmt::format("count(DISTINCT {})", value);
    case PlainAggregate::kSum:
      return dialect_.exact_sum(value, aggregate.argument->type());
    case PlainAggregate::kMin:
      return fmt::format("min({})", value);
    case PlainAggregate::kMax:
      return fmt::format("max({})", value);
    case PlainAggregate::kAverage: {
      const std::string sum = dialect_.exact_sum(value, aggregate.argument->type());
      const Type wide{TypeKind::kDecimal, 38, aggregate.argument->type().scale};
      const std::array operands{
          dialect_.cast(sum, wide, kRealType),
          dialect_.cast(fmt::format("count({})", value), kIntegerType, kRealType)};
      const std::array types{kRealType, kRealType};
      return dialect_.call(Function::kDivide, operands, types, kRealType);
    }
  }
  return {};
}

FlatSelect Emitter::flatten_node(const Relation& relation, const UnitGroup& node) {
  const FlatSelect flat = flatten(*node.input);
  std::vector<std::string> columns;
  std::vector<std::string> places;
  for (const ExpressionPtr& key : node.keys) {
    columns.push_back(expression(*key, flat.columns));
    places.push_back(std::to_string(columns.size()));
  }
  for (const UnitGroup::Aggregate& aggregate : node.aggregates) {
    columns.push_back(plain_aggregate(aggregate, flat.columns));
  }
  return derived(select(flat, columns) + " GROUP BY " + join(places, ", "),
                 relation.columns().size());
}

}  // namespace tacit::sql
