// Grouped SELECTs over rows: by the unit, whose groups are rows again, or into what is released.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tacit/sql/binder_internal.h"
#include "tacit/sql/syntax_parts_internal.h"

namespace tacit::sql {
namespace {

// The sum of any number of decimals of these digits fits into 38.
constexpr int kSummableDigits = 26;

// The names of released columns, which an alias must not be mistaken for.
bool is_internal(const std::string& name) {
  return std::ranges::any_of(std::array{"value_", "key_", "half_width_"}, [&](const char* prefix) {
    return lower_name(name).starts_with(prefix);
  });
}

PlainAggregate plain_kind(const Json& node, bool& known) {
  const std::string name = lower_name(string_of(node, "function_name"));
  known = true;
  if (name == "count_star") return PlainAggregate::kCountRows;
  if (name == "count") {
    return node.value("distinct", false) ? PlainAggregate::kCountDistinct : PlainAggregate::kCount;
  }
  if (name == "sum") return PlainAggregate::kSum;
  if (name == "min") return PlainAggregate::kMin;
  if (name == "max") return PlainAggregate::kMax;
  if (name == "avg" || name == "mean") return PlainAggregate::kAverage;
  known = false;
  return PlainAggregate::kCountRows;
}

RelationColumn plain_column(PlainAggregate function, const ExpressionPtr& argument) {
  switch (function) {
    case PlainAggregate::kCountRows:
    case PlainAggregate::kCount:
    case PlainAggregate::kCountDistinct:
      return {"", kIntegerType, {.lower = Rational(0)}};
    case PlainAggregate::kSum:
      return {"", Type{TypeKind::kDecimal, 38, argument->type().scale}, {}};
    case PlainAggregate::kAverage:
      return {"", kRealType, {.lower = argument->facts().lower, .upper = argument->facts().upper}};
    case PlainAggregate::kMin:
    case PlainAggregate::kMax:
      break;
  }
  Facts facts = argument->facts();
  facts.public_column.reset();
  return {"", argument->type(), std::move(facts)};
}

Result<UnitGroup::Aggregate> bind_plain(const Json& node, const Scope& scope,
                                        const QueryText& text) {
  bool known = false;
  UnitGroup::Aggregate out{.function = plain_kind(node, known)};
  if (!known) {
    return text.refuse(node, "this aggregate is not on the list for groups of one unit",
                       "COUNT, SUM, AVG, MIN and MAX are");
  }
  if (node.contains("filter") && node["filter"].is_object()) {
    TACIT_ASSIGN_OR_RETURN(out.filter, bind_condition(node["filter"], scope, text));
  }
  if (node.value("distinct", false) && out.function != PlainAggregate::kCountDistinct &&
      out.function != PlainAggregate::kMin && out.function != PlainAggregate::kMax) {
    return text.refuse(node, "DISTINCT inside this aggregate",
                       "only COUNT(DISTINCT x) is answered");
  }
  if (node.at("children").size() > 1) {
    return text.refuse(node, "this aggregate takes one column", "give it one expression");
  }
  if (out.function == PlainAggregate::kCountRows || node.at("children").empty()) {
    out.function = PlainAggregate::kCountRows;
    return out;
  }
  TACIT_ASSIGN_OR_RETURN(out.argument, bind_expression(node.at("children").at(0), scope, text));
  const bool adds =
      out.function == PlainAggregate::kSum || out.function == PlainAggregate::kAverage;
  if (adds && out.argument->type().precision > kSummableDigits) {
    return text.refuse(node, "a sum of so many digits could overflow",
                       "CAST the argument to decimal(26,2) or fewer digits");
  }
  if (adds && !out.argument->type().is_exact_number()) {
    return text.refuse(node, "a sum of reals depends on the order of rows in its last digits",
                       "CAST the argument to decimal(18,6) or another exact type");
  }
  return out;
}

// SELECT DISTINCT of columns alone is a grouping by all of them.
bool is_grouped_by_distinct(const Json& node) {
  return has_modifier(node, "DISTINCT_MODIFIER") && node.at("group_expressions").empty() &&
         !contains_aggregate(node.at("select_list"));
}

}  // namespace

Result<Binder::Grouping> Binder::group(const Json& node, RelationPtr input, const Scope& scope) {
  if (node.at("group_sets").size() > 1) {
    return text_.refuse(node.at("select_list").at(0), "ROLLUP, CUBE and GROUPING SETS",
                        "ask one grouping at a time");
  }
  for (const Json& modifier : node.at("modifiers")) {
    if (modifier.contains("distinct_on_targets") && !modifier["distinct_on_targets"].empty()) {
      return text_.refuse(node.at("select_list").at(0), "DISTINCT ON over private rows",
                          "use GROUP BY with aggregates");
    }
  }
  Grouping out{.input = std::move(input), .scope = &scope};
  std::vector<Json> keys;
  const Json& select = node.at("select_list");
  const bool all = string_of(node, "aggregate_handling") == "FORCE_AGGREGATES";
  if (all || is_grouped_by_distinct(node)) {
    for (const Json& item : select) {
      if (string_of(item, "class") == "STAR") {
        return text_.refuse(item, "SELECT * would release rows as they are", "name the columns");
      }
      if (!contains_aggregate(item)) keys.push_back(item);
    }
  }
  for (const Json& expression : node.at("group_expressions")) {
    Json key = expression;
    if (const auto place = constant_number(expression);
        string_of(expression, "class") == "CONSTANT" && place) {
      const mpz_class index = place->floor();
      if (index < 1 || index > select.size()) {
        return text_.refuse(expression, "GROUP BY names a column that SELECT does not have",
                            "count from 1");
      }
      key = select.at(index.get_ui() - 1);
    } else if (string_of(expression, "class") == "COLUMN_REF" && !scope.find(expression, text_)) {
      const std::string name = expression.at("column_names").back().get<std::string>();
      for (const Json& item : select) {
        if (same_name(string_of(item, "alias"), name)) key = item;
      }
    }
    keys.push_back(std::move(key));
  }
  for (Json& key : keys) {
    TACIT_ASSIGN_OR_RETURN(auto bound, bind_expression(key, scope, text_));
    out.keys.push_back(std::move(bound));
    out.key_names.push_back(natural_name(key));
    out.key_nodes.push_back(std::move(key));
  }
  return out;
}

Result<Json> Binder::rewrite_column(const Json& node, const Grouping& grouping) {
  const auto column = grouping.scope->find(node, text_);
  if (!column) {
    // Aliases of SELECT may be used in HAVING and ORDER BY.
    const std::string name = node.at("column_names").back().get<std::string>();
    for (const Json& item : grouping.select_list) {
      if (!same_name(string_of(item, "alias"), name)) continue;
      if (!is_internal(name)) return node;
      return text_.refuse(node, "the name " + name + " is taken by the released columns",
                          "give the column another name");
    }
    return std::unexpected(column.error());
  }
  return text_.refuse(node,
                      "the column " + node.at("column_names").back().get<std::string>() +
                          " would be released as it is",
                      "put it into GROUP BY or inside an aggregate");
}

Result<Json> Binder::rewrite(const Json& node, Grouping& grouping, const Ctes& ctes) {
  if (node.is_array()) {
    Json out = Json::array();
    for (const Json& child : node) {
      TACIT_ASSIGN_OR_RETURN(auto part, rewrite(child, grouping, ctes));
      out.push_back(std::move(part));
    }
    return out;
  }
  if (!node.is_object()) return node;
  const auto named = [&](const std::string& name) {
    Json reference = column_reference(name);
    reference["alias"] = string_of(node, "alias");
    return reference;
  };
  const std::string kind = string_of(node, "class");
  if (!kind.empty() && kind != "CONSTANT") {
    for (std::size_t i = 0; i < grouping.keys.size(); ++i) {
      const bool same_key = same_syntax(node, grouping.key_nodes[i]);
      if (same_key) return named(fmt::format("key_{}", i));
      if (kind != "COLUMN_REF") continue;
      const auto bound = bind_expression(node, *grouping.scope, text_);
      if (bound && same(**bound, *grouping.keys[i])) return named(fmt::format("key_{}", i));
    }
  }
  if (is_aggregate(node)) {
    for (std::size_t j = 0; j < grouping.aggregate_nodes.size(); ++j) {
      if (same_syntax(node, grouping.aggregate_nodes[j])) return named(fmt::format("value_{}", j));
    }
    grouping.aggregate_nodes.push_back(node);
    return named(fmt::format("value_{}", grouping.aggregate_nodes.size() - 1));
  }
  if (kind == "COLUMN_REF") return rewrite_column(node, grouping);
  if (kind == "STAR") {
    return text_.refuse(node, "SELECT * would release rows as they are", "name the columns");
  }
  if (kind == "SUBQUERY") {
    Json out = node;
    TACIT_RETURN_IF_ERROR(bind_outer_expression(out, ctes));
    return out;
  }
  Json out = node;
  for (auto& [key, child] : out.items()) {
    if (!child.is_structured() || key == "value" || key == "cast_type") continue;
    TACIT_ASSIGN_OR_RETURN(child, rewrite(child, grouping, ctes));
  }
  return out;
}

Result<BoundNode> Binder::select_units(const Json& node, Grouping& grouping,
                                       const std::vector<std::size_t>& unit) {
  for (const Json& modifier : node.at("modifiers")) {
    if (string_of(modifier, "type") != "DISTINCT_MODIFIER") {
      return text_.refuse(node.at("select_list").at(0), "ORDER BY or LIMIT over private rows",
                          "order the answer instead");
    }
  }
  if (has_modifier(node, "DISTINCT_MODIFIER") && !is_grouped_by_distinct(node)) {
    return text_.refuse(node.at("select_list").at(0), "DISTINCT over the groups of one unit",
                        "leave it out, or GROUP BY these columns in a SELECT around this one");
  }
  std::vector<Json> select;
  std::vector<std::string> names;
  for (const Json& item : node.at("select_list")) {
    TACIT_ASSIGN_OR_RETURN(auto rewritten, rewrite(item, grouping, {}));
    names.push_back(natural_name(item));
    select.push_back(std::move(rewritten));
  }
  Json having = node.at("having");
  if (having.is_object()) {
    TACIT_ASSIGN_OR_RETURN(having, rewrite(having, grouping, {}));
  }
  UnitGroup rows{.input = grouping.input, .keys = grouping.keys};
  std::vector<RelationColumn> columns;
  for (std::size_t i = 0; i < grouping.keys.size(); ++i) {
    columns.push_back(
        {fmt::format("key_{}", i), grouping.keys[i]->type(), grouping.keys[i]->facts()});
  }
  for (std::size_t j = 0; j < grouping.aggregate_nodes.size(); ++j) {
    TACIT_ASSIGN_OR_RETURN(auto aggregate,
                           bind_plain(grouping.aggregate_nodes[j], *grouping.scope, text_));
    RelationColumn column = plain_column(aggregate.function, aggregate.argument);
    column.name = fmt::format("value_{}", j);
    columns.push_back(std::move(column));
    rows.aggregates.push_back(std::move(aggregate));
  }
  RelationPtr grouped = std::make_shared<const Relation>(std::move(rows), std::move(columns), unit);
  Scope scope;
  scope.add(*grouped, "");
  if (having.is_object()) {
    TACIT_ASSIGN_OR_RETURN(auto condition, bind_condition(having, scope, text_));
    grouped = std::make_shared<const Relation>(Product{{grouped}, conjuncts(condition)},
                                               grouped->columns(), grouped->unit());
  }
  std::vector<ExpressionPtr> selected;
  for (const Json& item : select) {
    TACIT_ASSIGN_OR_RETURN(auto column, bind_expression(item, scope, text_));
    selected.push_back(std::move(column));
  }
  return BoundNode{.rows = project(std::move(grouped), std::move(selected), std::move(names))};
}

Result<BoundNode> Binder::select_aggregates(Json node, Grouping& grouping, const Ctes& ctes) {
  grouping.select_list = node.at("select_list").get<std::vector<Json>>();
  const std::string table = fmt::format("released_{}", query_.aggregations.size());
  const std::size_t index = query_.aggregations.size();
  query_.aggregations.emplace_back();  // keeps its number while subqueries are bound
  for (Json& item : node["select_list"]) {
    const std::string name = natural_name(item);
    TACIT_ASSIGN_OR_RETURN(item, rewrite(item, grouping, ctes));
    item["alias"] = name;
  }
  for (Json& modifier : node["modifiers"]) {
    TACIT_ASSIGN_OR_RETURN(modifier, rewrite(modifier, grouping, ctes));
  }
  TACIT_ASSIGN_OR_RETURN(node["where_clause"], rewrite(node["having"], grouping, ctes));
  TACIT_ASSIGN_OR_RETURN(node["qualify"], rewrite(node["qualify"], grouping, ctes));
  node["having"] = nullptr;
  node["group_expressions"] = Json::array();
  node["group_sets"] = Json::array();
  node["aggregate_handling"] = "STANDARD_HANDLING";
  node["from_table"] = table_reference(table);

  Aggregation aggregation{.input = grouping.input};
  for (std::size_t i = 0; i < grouping.keys.size(); ++i) {
    if (grouping.keys[i]->type().kind == TypeKind::kReal) {
      return text_.refuse(grouping.key_nodes[i], "groups by a real number",
                          "round it, CAST it to decimal(18,2), or use width_bucket");
    }
    aggregation.keys.push_back({grouping.keys[i], grouping.key_names[i]});
  }
  for (const Json& aggregate : grouping.aggregate_nodes) {
    TACIT_ASSIGN_OR_RETURN(auto bound,
                           bind_aggregate(aggregate, *grouping.input, *grouping.scope, text_));
    aggregation.aggregates.push_back(std::move(bound));
  }
  query_.aggregations[index] = std::move(aggregation);
  return BoundNode{.outer = std::move(node)};
}

}  // namespace tacit::sql
